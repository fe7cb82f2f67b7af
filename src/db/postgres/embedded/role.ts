import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import postgres from "postgres"
import { readPassword, readRolePassword, SUPERUSER, writeRolePassword } from "./cluster.ts"
import type { Home } from "./home.ts"
import { ask, untilReady } from "./presence.ts"

/** The role of the processes. It owns its database and its contents, and has no other privileges. */
export const ROLE = "troupe_app"

/** Held while the role is created, so that processes that start together create it once. */
const ROLE_LOCK = 7_302_119

/**
 * Databases of earlier versions belong to the superuser. REASSIGN OWNED does not work for a bootstrap superuser, so
 * objects are transferred one by one.
 */
const HAND_OVER = `
do $$
declare command text;
begin
  for command in
    with ours as (
      select oid from pg_namespace where nspname <> 'information_schema' and nspname not like 'pg\\_%'
    )
    select format('alter schema %I owner to ${ROLE}', nspname) from pg_namespace
    where nspowner = '${SUPERUSER}'::regrole and oid in (select oid from ours)
    union all
    select format('alter table %s owner to ${ROLE}', c.oid::regclass) from pg_class c
    where relowner = '${SUPERUSER}'::regrole and relnamespace in (select oid from ours)
      and relkind in ('r', 'p', 'v', 'm', 'S')
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and d.refclassid = 'pg_class'::regclass and c.relkind = 'S' and d.deptype in ('a', 'i')
      )
    union all
    select format('alter routine %s owner to ${ROLE}', oid::regprocedure) from pg_proc
    where proowner = '${SUPERUSER}'::regrole and pronamespace in (select oid from ours)
    union all
    select format('alter type %s owner to ${ROLE}', t.oid::regtype) from pg_type t
    left join pg_class c on c.oid = t.typrelid
    where typowner = '${SUPERUSER}'::regrole and typnamespace in (select oid from ours)
      and (typtype in ('d', 'e', 'r') or c.relkind = 'c')
  loop
    execute command;
  end loop;
end $$`

const makeRole = (admin: postgres.Sql, password: string) =>
  ask(() =>
    admin.begin(async (sql) => {
      // Failed statements are logged, and these contain the password.
      await sql.unsafe("set local log_min_error_statement = panic")
      const [known] = await sql`select 1 from pg_roles where rolname = ${ROLE}`
      await sql.unsafe(
        `${known === undefined ? "create" : "alter"} role ${ROLE} login nosuperuser nocreatedb nocreaterole ` +
          `noreplication nobypassrls password '${password}'`
      )
      await sql.unsafe(`alter database postgres owner to ${ROLE}`)
      await sql.unsafe(HAND_OVER)
    })
  )

/** Creates the role if the cluster has none, and returns its password. */
export const ensureRole = Effect.fn("EmbeddedPostgres.ensureRole")(function* (home: Home, port: number) {
  const url = `postgres://${SUPERUSER}:${yield* readPassword(home)}@127.0.0.1:${port}/postgres`
  return yield* Effect.acquireUseRelease(
    Effect.sync(() => postgres(url, { max: 1, fetch_types: false, connect_timeout: 5, onnotice: () => {} })),
    Effect.fnUntraced(function* (admin) {
      yield* untilReady(ask(() => admin`select pg_advisory_lock(${ROLE_LOCK})`))
      const made = yield* readRolePassword(home)
      if (made !== null) return made
      const password = randomBytes(24).toString("base64url")
      yield* makeRole(admin, password)
      yield* writeRolePassword(home, password)
      return password
    }),
    (admin) => Effect.promise(() => admin.end({ timeout: 0 }).catch(() => {}))
  )
})
