import type { CopyOf, PersonOf, SessionsOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"

const OWNERS = { app: "app_id", character: "slug" } as const

/** As it is now: a world has no versions. What is of one session or person alone is not copied. */
const copyOf =
  (name: string): Statement<CopyOf> =>
  (sql, { appId, slug, to }) =>
    sql`
    insert into ${sql(name)} (app_id, slug, id, fields, created_at, updated_at)
    select ${to}, slug, id, fields, created_at, updated_at from ${sql(name)}
    where app_id = ${appId} and slug = ${slug} and coalesce(fields ->> 'session_id', fields #>> '{scope,session_id}',
      fields #>> '{scope,external_user_ref}') is null on conflict do nothing`

/** Processes that hold a copy of a world find out by its revision that something is gone. */
const reviseWorldsOfSessions: Statement<SessionsOf> = (sql, { appId, sessionIds }) => sql`
  update worlds set revision = revision + 1
  where (app_id, slug) in (select w.app_id, w.slug from worlds w join sessions s on s.app_id = w.app_id
    and s.character_slug = w.slug where s.app_id = ${appId} and s.session_id = any(${[...sessionIds]}::text[])
    order by w.slug for no key update of w)`
const reviseWorldsOfPerson: Statement<PersonOf> = (sql, { appId, externalUserRef }) => sql`
  update worlds w set revision = revision + 1 from (select distinct slug from arc_influences
    where app_id = ${appId} and external_user_ref = ${externalUserRef}) a where w.app_id = ${appId} and w.slug = a.slug`

const WORK_OF_AUTHOR = { not: "the author's work, or the app's, for a character" }

export const tables: ReadonlyArray<Table> = [
  { name: "npcs", retention: { bounded: "what the author has written" }, owners: OWNERS, copied: copyOf("npcs") },
  {
    name: "graph_edges",
    retention: { bounded: "what the author has written" },
    owners: { ...OWNERS, session: "session_id" },
    copied: copyOf("graph_edges"),
    exported: WORK_OF_AUTHOR
  },
  {
    name: "storylines",
    retention: { bounded: "what the author has written" },
    owners: OWNERS,
    copied: copyOf("storylines")
  },
  {
    name: "arc_influences",
    retention: { bounded: "what the author has written" },
    owners: { ...OWNERS, session: "session_id", person: "external_user_ref" },
    erasure: { traces: "deleted" },
    copied: copyOf("arc_influences"),
    exported: WORK_OF_AUTHOR
  },
  {
    name: "worlds",
    retention: { bounded: "one row for each character" },
    owners: OWNERS,
    erasure: { session: { before: reviseWorldsOfSessions }, traces: { before: reviseWorldsOfPerson } },
    copied: (sql, { appId, slug, to }) => sql`
      insert into worlds (app_id, slug, revision)
        select ${to}, slug, revision from worlds where app_id = ${appId} and slug = ${slug} on conflict do nothing`
  }
]
