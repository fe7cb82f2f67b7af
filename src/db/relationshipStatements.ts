import type { Patch } from "#pipeline/relational/Patch.ts"
import type { Bearing, Memory, OpenLoop, Snapshot } from "#pipeline/relational/Relationship.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import type { Sql } from "./Database.ts"
import { iso } from "./moments.ts"
import type { SessionRef } from "./Turns.ts"

export interface RelationshipRow {
  readonly read_turn: number
  readonly version: number
  readonly bearing: Partial<Bearing>
}

/** Memories as they leave the database, in the form of the domain. */
export const memoryColumns = (sql: Sql) => sql`
  memory_id as id, kind, subject, text, importance, confidence, pinned, status, ${iso(sql, "valid_at")}, ${iso(sql, "invalid_at")}, supersedes_id, to_json(linked_ids) as linked_ids, evidence, source,
  tombstone, recall_count, ${iso(sql, "last_recalled_at")}, ${iso(sql, "created_at")}`

export const loopColumns = (sql: Sql) => sql`
  loop_id as id, kind, owner, text, ${iso(sql, "due_at")}, priority, status, evidence, ${iso(sql, "created_at")}, ${iso(sql, "updated_at")}`

/** Words of a memory that are looked for, as far as they are kept. */
const MOST_TERMS = 120
const MOST_TERM_CHARS = 60

/** One that was superseded is looked for as well, where it is asked what was known at some time. */
const searchable = ({ status, text }: Memory): ReadonlyArray<string> =>
  status === "active" || status === "superseded" ? [...new Set(terms(text))].filter((term) => term.length <= MOST_TERM_CHARS).slice(0, MOST_TERMS) : []

export const writeMemories = (sql: Sql, { appId, sessionId }: SessionRef, memories: ReadonlyArray<Memory>, dictionary: string) => sql`
  insert into memories (app_id, session_id, memory_id, kind, subject, text, importance, confidence, pinned, status, valid_at, invalid_at, supersedes_id, linked_ids, evidence, source, tombstone,
    recall_count, last_recalled_at, created_at, lexemes)
  select ${appId}, ${sessionId}, m.id, m.kind, m.subject, m.text, m.importance, m.confidence, m.pinned, m.status, m.valid_at, m.invalid_at, m.supersedes_id, m.linked_ids, m.evidence, m.source, m.tombstone,
    m.recall_count, m.last_recalled_at, m.created_at, (
      select coalesce(string_agg(distinct coalesce(stem[1], term), ' '), '') from unnest(m.terms) as term cross join lateral (select ts_lexize(${dictionary}::regdictionary, term) as stem) s where stem is null or cardinality(stem) > 0
    )
  from json_to_recordset(${JSON.stringify(memories.map((memory) => ({ ...memory, terms: searchable(memory) })))}::text::json) as m(id text, kind text, subject text, text text, importance smallint, confidence float8,
    pinned boolean, status text, valid_at timestamptz, invalid_at timestamptz, supersedes_id text, linked_ids text[], evidence json, source text, tombstone text, recall_count int,
    last_recalled_at timestamptz, created_at timestamptz, terms text[])
  on conflict (app_id, session_id, memory_id) do update set kind = excluded.kind, subject = excluded.subject, text = excluded.text, importance = excluded.importance, confidence = excluded.confidence,
    pinned = excluded.pinned, status = excluded.status, valid_at = excluded.valid_at, invalid_at = excluded.invalid_at, supersedes_id = excluded.supersedes_id, linked_ids = excluded.linked_ids,
    evidence = excluded.evidence, source = excluded.source, tombstone = excluded.tombstone, recall_count = excluded.recall_count, last_recalled_at = excluded.last_recalled_at, lexemes = excluded.lexemes`

export const writeRecalled = (sql: Sql, { appId, sessionId }: SessionRef, ids: ReadonlyArray<string>, at: string) => sql`
  update memories set recall_count = recall_count + 1, last_recalled_at = ${at}::timestamptz where app_id = ${appId} and session_id = ${sessionId} and memory_id = any(${ids}::text[])`

export const writeLoops = (sql: Sql, { appId, sessionId }: SessionRef, loops: ReadonlyArray<OpenLoop>) => sql`
  insert into open_loops (app_id, session_id, loop_id, kind, owner, text, due_at, priority, status, evidence, created_at, updated_at)
  select ${appId}, ${sessionId}, l.* from json_to_recordset(${JSON.stringify(loops)}::text::json) as l(id text, kind text, owner text, text text, due_at timestamptz, priority smallint, status text,
    evidence json, created_at timestamptz, updated_at timestamptz)
  on conflict (app_id, session_id, loop_id) do update set kind = excluded.kind, owner = excluded.owner, text = excluded.text, due_at = excluded.due_at, priority = excluded.priority,
    status = excluded.status, evidence = excluded.evidence, updated_at = excluded.updated_at`

export const writeSnapshot = (sql: Sql, { appId, sessionId }: SessionRef, snapshot: Snapshot) => sql`
  insert into snapshots (app_id, session_id, snapshot_id, turn_index, snapshot, created_at)
  values (${appId}, ${sessionId}, ${snapshot.id}, ${snapshot.turn_index}, ${JSON.stringify(snapshot)}::text::json, ${snapshot.created_at}::timestamptz)
  on conflict do nothing`

export const writePatch = (sql: Sql, { appId, sessionId }: SessionRef, version: number, turnIndex: number | null, at: string, patch: Patch) => sql`
  insert into relational_patches (app_id, session_id, version, turn_index, at, patch)
  values (${appId}, ${sessionId}, ${version}::int, ${turnIndex}::int, ${at}::timestamptz, ${JSON.stringify(patch)}::text::json)`
