import { iso } from "#src/db/postgres/moments.ts"
import type { PageOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"
import { loopColumns } from "./relationshipStatements.ts"

const OWNERS = { app: "app_id", session: "session_id" } as const
const DERIVED = { not: "an index of the log and of the memories, which are exported" }

/** As over the API: without the forgotten, and without the hash of what they were. */
const memories: Statement<PageOf> = (sql, { appId, sessionId, after, limit }) => sql`
  select r.id as at, to_json(r)::text as row from (
    select memory_id as id, session_id, kind, subject, about, text, importance, confidence, pinned, status,
      ${iso(sql, "valid_at")}, ${iso(sql, "invalid_at")}, supersedes_id, linked_ids, evidence, source, recall_count,
      ${iso(sql, "last_recalled_at")}, ${iso(sql, "created_at")}
    from memories where app_id = ${appId} and session_id = ${sessionId} and memory_id > ${after}
      and status <> 'forgotten'
    order by memory_id limit ${limit}::int
  ) r order by r.id`

/** As over the API: without what has been forgotten. */
const openLoops: Statement<PageOf> = (sql, { appId, sessionId, after, limit }) => sql`
  select r.id as at, to_json(r)::text as row from (
    select session_id, ${loopColumns(sql)} from open_loops
    where app_id = ${appId} and session_id = ${sessionId} and loop_id > ${after} and text <> ''
    order by loop_id limit ${limit}::int
  ) r order by r.id`

/** The stage is masked until the app has opted in to scores. Scores are on the log, where they are masked, too. */
const snapshots: Statement<PageOf> = (sql, { appId, sessionId, after, limit }) => sql`
  select r.id as at, to_json(r)::text as row from (
    select n.snapshot_id as id, n.session_id, n.turn_index, n.snapshot -> 'summary' as summary,
      n.snapshot -> 'emotion' as emotion,
      case when a.expose_relational_numerics then n.snapshot -> 'stage' end as stage,
      n.snapshot -> 'highlights' as highlights, n.snapshot -> 'open_loop_ids' as open_loop_ids,
      ${iso(sql, "created_at", "n")}
    from snapshots n join apps a using (app_id)
    where n.app_id = ${appId} and n.session_id = ${sessionId} and n.snapshot_id > ${after}
    order by n.snapshot_id limit ${limit}::int
  ) r order by r.id`

const preferences: Statement<PageOf> = (sql, { appId, sessionId, after }) => sql`
  select session_id as at, json_build_object('session_id', session_id, 'preferences', bearing -> 'preferences')::text
    as row
  from relationships where app_id = ${appId} and session_id = ${sessionId} and session_id > ${after}
    and bearing -> 'preferences' is not null`

export const tables: ReadonlyArray<Table> = [
  {
    name: "memory_terms",
    retention: { setting: "LOG_RETENTION_DAYS", rows: "with the events whose words they are" },
    owners: OWNERS,
    exported: DERIVED
  },
  {
    name: "memory_blocks",
    retention: { setting: "LOG_RETENTION_DAYS", rows: "with the events whose words they are" },
    owners: OWNERS,
    exported: DERIVED
  },
  {
    name: "utterance_vectors",
    retention: { setting: "LOG_RETENTION_DAYS", rows: "with the events whose meaning they are" },
    owners: OWNERS,
    exported: DERIVED
  },
  {
    name: "memory_vectors",
    retention: { kept: "at most one for each active memory; deleted with its text" },
    owners: OWNERS,
    exported: DERIVED
  },
  {
    name: "relationships",
    retention: { bounded: "one row for each session" },
    owners: OWNERS,
    exported: {
      file: "proactive_preferences.json",
      about: "How they want to be written to of the character's own accord.",
      shape: "array",
      by: "session",
      rows: preferences
    }
  },
  {
    name: "relational_patches",
    retention: { kept: "a relationship is rebuilt from its patches; one short row for each turn with a change" },
    owners: OWNERS,
    exported: { not: "how memories came to be: internal, and never shown" }
  },
  {
    name: "memories",
    retention: { kept: "what a character remembers; forgotten and erased on request" },
    owners: OWNERS,
    exported: {
      file: "memories.json",
      about: "What characters remember of them.",
      shape: "array",
      by: "session",
      rows: memories
    }
  },
  {
    name: "open_loops",
    retention: { kept: "what waits to be taken up again; erased with the session" },
    owners: OWNERS,
    exported: {
      file: "open_loops.json",
      about: "What waits to be taken up again, such as a question or a promise.",
      shape: "array",
      by: "session",
      rows: openLoops
    }
  },
  {
    name: "snapshots",
    retention: { kept: "how the two stood from time to time; one row for several turns" },
    owners: OWNERS,
    exported: {
      file: "snapshots.json",
      about: "Summaries of how the two stood from time to time.",
      shape: "array",
      by: "session",
      rows: snapshots
    }
  },
  {
    name: "storyline_steps",
    retention: { bounded: "one row for each beat that a session has reached" },
    owners: OWNERS,
    exported: { not: "where the author's story stands; what was said of it is on the log" }
  }
]
