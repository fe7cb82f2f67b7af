import type { Sql } from "#src/db/postgres/postgres.ts"
import type { SecretsKey } from "#src/db/postgres/secretsCipher.ts"
import { checkKey } from "#src/db/operators/backup/checkKey.ts"
import { MoveRefused } from "./MoveRefused.ts"

/** The first migration whose processes stop for an app that moves. */
const KNOWS_MOVES = 56

const impossible = (message: string) => new MoveRefused({ reason: "impossible", message })

/** The cluster and the database in it. */
export const identify = async (sql: Sql) => {
  const [row] = await sql<[{ identity: string }]>`
    select c.system_identifier || '-' || d.oid as identity from pg_control_system() c, pg_database d
    where d.datname = current_database()`
  return row.identity
}

const readSchema = async (sql: Sql) => {
  const rows = await sql<Array<{ name: string }>>`select name from schema_migrations order by name`
  return rows.map(({ name }) => name)
}

const requireReady = async (sql: Sql, keys: ReadonlyArray<SecretsKey>, where: string) => {
  const [ready] = await sql<[{ old: boolean; secrets: boolean; jobs: boolean }]>`
    select exists (select from processes where coalesce(migration, 0) < ${KNOWS_MOVES}::int) as old,
      exists (select from secrets_check) as secrets, to_regclass('graphile_worker._private_jobs') is not null as jobs`
  if (ready.old) throw impossible(`processes of an older version are running on the ${where}: finish the upgrade first`)
  if (!ready.jobs || !ready.secrets) throw impossible(`no process has ever run on the ${where}: start one first`)
  await checkKey(keys)(sql).catch(() => {
    throw impossible(`the secrets of the ${where} are stored under another key: both cells need the same SECRETS_KEY`)
  })
}

const playsEvals = async (sql: Sql, appId: string) =>
  (await sql`select 1 from eval_runs where app_id = ${appId} and status = 'running'`).length > 0

/** Refuses what would fail later, while nothing has happened yet. */
export const checkMove = async (source: Sql, target: Sql, appId: string, keys: ReadonlyArray<SecretsKey>) => {
  if (keys.length === 0) throw impossible("SECRETS_KEY must be set: it is compared with those of both cells")
  const there = await readSchema(target).catch(() => [])
  if (there.length === 0) throw impossible("no process has ever run on the database of the new cell: start one first")
  if ((await identify(source)) === (await identify(target)))
    throw impossible("TARGET_DATABASE_URL leads to the database that the app is in")
  if (String(await readSchema(source)) !== String(there))
    throw impossible("the databases have different schemas: run the same version of Troupe in both cells")
  await requireReady(source, keys, "old cell")
  await requireReady(target, keys, "new cell")
  if (await playsEvals(source, appId))
    throw impossible("an eval of the app is running: cancel it, or wait until it has ended")
}
