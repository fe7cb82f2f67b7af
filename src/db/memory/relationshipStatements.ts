import type { Patch } from "#pipeline/relational/Patch.ts"
import type { Bearing, Memory, OpenLoop, Relationship, Snapshot } from "#pipeline/relational/Relationship.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { topicsTold } from "#pipeline/retrieval/topics/topics.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { iso } from "#src/db/postgres/moments.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

export interface RelationshipRow {
  readonly read_turn: number
  readonly version: number
  readonly bearing: Partial<Bearing>
}

/** Columns of memories in the form of the domain. */
export const memoryColumns = (sql: Sql) => sql`
  memory_id as id, kind, subject, about, text, importance, confidence, pinned, status,
    ${iso(sql, "valid_at")}, ${iso(sql, "invalid_at")}, supersedes_id, to_json(linked_ids) as linked_ids, evidence,
      source,
  tombstone, recall_count, ${iso(sql, "last_recalled_at")}, ${iso(sql, "created_at")}`

export const loopColumns = (sql: Sql) => sql`
  loop_id as id, kind, owner, text,
    ${iso(sql, "due_at")}, priority, status, evidence, ${iso(sql, "created_at")}, ${iso(sql, "updated_at")}`

/** Maximum number of indexed words of a memory. */
const MAX_TERMS = 120
const MAX_TERM_CHARS = 60

/** Superseded memories are indexed as well, for searches as of an earlier time. */
const searchable = ({ status, text }: Memory): ReadonlyArray<string> =>
  status === "active" || status === "superseded"
    ? [...topicsTold(text), ...new Set(terms(text).filter((term) => term.length <= MAX_TERM_CHARS))].slice(0, MAX_TERMS)
    : []

/** An item of one session in a batch over several sessions. */
export interface Of<A> {
  readonly session: SessionRef
  readonly one: A
}
const named = <A extends object>(rows: ReadonlyArray<Of<A>>) =>
  JSON.stringify(
    rows.map(({ session: { appId, sessionId }, one }) => ({ ...one, app_id: appId, session_id: sessionId }))
  )
const appsOf = (rows: ReadonlyArray<Of<unknown>>) => rows.map(({ session }) => session.appId)
const sessionsOf = (rows: ReadonlyArray<Of<unknown>>) => rows.map(({ session }) => session.sessionId)

/** Each with the dictionary that stems its words. */
export const writeMemories = (sql: Sql, memories: ReadonlyArray<Of<Memory & { readonly dictionary: string }>>) => sql`
  insert into memories (app_id, session_id, memory_id, kind, subject, about, text, importance, confidence, pinned,
    status, valid_at, invalid_at, supersedes_id, linked_ids, evidence, source, tombstone,
    recall_count, last_recalled_at, created_at, lexemes)
  select m.app_id, m.session_id, m.id, m.kind, m.subject, m.about, m.text, m.importance, m.confidence, m.pinned,
    m.status, m.valid_at, m.invalid_at, m.supersedes_id, m.linked_ids, m.evidence, m.source, m.tombstone,
    m.recall_count, m.last_recalled_at, m.created_at, (
      select coalesce(string_agg(distinct coalesce(stem[1], term), ' '), '') from unnest(m.terms) as term cross
        join lateral (select ts_lexize(m.dictionary::regdictionary, term) as stem) s where stem is null
          or cardinality(stem) > 0
    )
  from
    json_to_recordset(${named(
      memories.map(({ session, one }) => ({ session, one: { ...one, terms: searchable(one) } }))
    )}::text::json) as m(app_id text, session_id text, id text, kind text, subject text, about json, text text,
      importance smallint, confidence float8, pinned boolean, status text, valid_at timestamptz, invalid_at timestamptz,
      supersedes_id text, linked_ids text[], evidence json, source text, tombstone text, recall_count int,
      last_recalled_at timestamptz, created_at timestamptz, terms text[], dictionary text)
  on conflict (app_id, session_id, memory_id) do update set kind = excluded.kind, subject = excluded.subject,
    about = excluded.about,
    text = excluded.text, importance = excluded.importance, confidence = excluded.confidence,
    pinned = excluded.pinned, status = excluded.status, valid_at = excluded.valid_at, invalid_at = excluded.invalid_at,
    supersedes_id = excluded.supersedes_id, linked_ids = excluded.linked_ids,
    evidence = excluded.evidence, source = excluded.source, tombstone = excluded.tombstone,
    recall_count = excluded.recall_count, last_recalled_at = excluded.last_recalled_at, lexemes = excluded.lexemes`

/** Deletes the embeddings of these memories. */
export const deleteVectors = (sql: Sql, memories: ReadonlyArray<Of<{ readonly id: string }>>) => sql`
  delete from memory_vectors v using unnest(${appsOf(memories)}::text[], ${sessionsOf(memories)}::text[],
    ${memories.map(({ one }) => one.id)}::text[]) as m(app_id, session_id, id)
  where v.app_id = m.app_id and v.session_id = m.session_id and v.memory_id = m.id`

/** Each with the time of its latest recall. */
export const writeRecalled = (
  sql: Sql,
  recalled: ReadonlyArray<Of<{ readonly id: string; readonly at: string }>>
) => sql`
  update memories m set recall_count = m.recall_count + 1, last_recalled_at = x.at::timestamptz
  from unnest(${appsOf(recalled)}::text[],
    ${sessionsOf(recalled)}::text[],
      ${recalled.map(({ one }) => one.id)}::text[],
        ${recalled.map(({ one }) => one.at)}::text[]) as x(app_id, session_id, id, at)
  where m.app_id = x.app_id and m.session_id = x.session_id and m.memory_id = x.id`

export const writeLoops = (sql: Sql, loops: ReadonlyArray<Of<OpenLoop>>) => sql`
  insert into open_loops (app_id, session_id, loop_id, kind, owner, text, due_at, priority, status, evidence,
    created_at, updated_at)
  select l.* from json_to_recordset(${named(loops)}::text::json) as l(app_id text, session_id text, id text, kind text,
    owner text, text text, due_at timestamptz, priority smallint, status text,
    evidence json, created_at timestamptz, updated_at timestamptz)
  on conflict (app_id, session_id, loop_id) do update set kind = excluded.kind, owner = excluded.owner,
    text = excluded.text, due_at = excluded.due_at, priority = excluded.priority,
    status = excluded.status, evidence = excluded.evidence, updated_at = excluded.updated_at`

export const writeSnapshots = (sql: Sql, snapshots: ReadonlyArray<Of<Snapshot>>) => sql`
  insert into snapshots (app_id, session_id, snapshot_id, turn_index, snapshot, created_at)
  select app_id, session_id, id, turn_index, snapshot::json, created_at::timestamptz
  from unnest(${appsOf(snapshots)}::text[],
    ${sessionsOf(snapshots)}::text[],
      ${snapshots.map(({ one }) => one.id)}::text[], ${snapshots.map(({ one }) => one.turn_index)}::int[],
    ${snapshots.map(({ one }) => JSON.stringify(one))}::text[],
      ${snapshots.map(({ one }) => one.created_at)}::text[]) as s(app_id, session_id, id, turn_index, snapshot,
        created_at)
  on conflict do nothing`

/** The result of a patch. */
export interface Amended {
  readonly at: string
  readonly turnIndex: number | null
  readonly patch: Patch
  readonly after: Relationship
}

/** Writes patches and the resulting state. A loop or a preference may bring the next proactive check forward. */
export const writePatches = (sql: Sql, amended: ReadonlyArray<Of<Amended>>) => sql`
  with done as (
    select * from unnest(${appsOf(amended)}::text[],
      ${sessionsOf(amended)}::text[],
      ${amended.map(({ one }) => one.after.version)}::int[],
      ${amended.map(({ one }) => one.turnIndex)}::int[], ${amended.map(({ one }) => one.at)}::text[],
      ${amended.map(({ one }) => JSON.stringify(one.patch))}::text[],
      ${amended.map(({ one }) => one.after.readTurn)}::int[],
      ${amended.map(({ one }) => JSON.stringify(one.after.bearing))}::text[],
      ${amended.map(({ one: { patch } }) =>
        patch.loops.length > 0 || patch.bearing.preferences !== undefined ? 1 : 0
      )}::int[])
      as d(app_id, session_id, version, turn_index, at, patch, read_turn, bearing, stirs)
  ), written as (
    insert into relational_patches (app_id, session_id, version, turn_index, at, patch)
    select app_id, session_id, version, turn_index, at::timestamptz, patch::json from done
  )
  update relationships r set version = d.version, read_turn = d.read_turn, bearing = d.bearing::json,
    initiate_at = case when d.stirs = 1 and r.initiate_at > now() then now() else r.initiate_at end
  from done d where r.app_id = d.app_id and r.session_id = d.session_id`
