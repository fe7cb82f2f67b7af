import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isDeepStrictEqual } from "node:util"
import { type Gone, goneBy, without } from "#pipeline/relational/forget.ts"
import { apply, EMPTY_PATCH, isEmpty, type Patch } from "#pipeline/relational/Patch.ts"
import { type Bearing, type Memory, NEW_BEARING, NEW_RELATIONSHIP, type OpenLoop, type Relationship } from "#pipeline/relational/Relationship.ts"
import { Database, type DatabaseError } from "./Database.ts"
import { loopColumns, memoryColumns, type RelationshipRow, writeLoops, writeMemories, writePatch, writeRecalled, writeSnapshot } from "./relationshipStatements.ts"
import { sessionDictionary } from "./sessionDictionary.ts"
import { addReadingJobs } from "./turnJobs.ts"
import type { SessionRef } from "./Turns.ts"

interface Writing {
  readonly at: Date
  readonly turnIndex: number | null
  readonly patch: Patch
}

export interface Standing {
  readonly bearing: Bearing
  /** How many loops wait to be taken up again. */
  readonly openLoops: number
}

export interface Rebuilt {
  readonly patches: number
  readonly memories: number
  readonly loops: number
  /** Whether the rows that stood said anything else. */
  readonly changed: boolean
}

/** By id: the order of rows says nothing. */
const sorted = ({ memories, loops, ...rest }: Relationship) => {
  const inOrder = <A extends { readonly id: string }>(items: ReadonlyMap<string, A>) => [...items.values()].sort((a, b) => a.id.localeCompare(b.id))
  return { ...rest, memories: inOrder(memories), loops: inOrder(loops) }
}

/** What a character knows of a person and how it stands with them, as rows that patches write. A session that does not exist has an empty one. */
export class Relationships extends Context.Service<Relationships, {
  /** How the two stand, without what is remembered. */
  readonly standing: (session: SessionRef) => Effect.Effect<Standing, DatabaseError>
  /** As it stands, with every memory that is not superseded and every loop. */
  readonly load: (session: SessionRef) => Effect.Effect<Relationship, DatabaseError>
  /**
   * Decides on a patch against the relationship as it stands, locked, and writes it; an empty one writes nothing. What it forgets goes from what was written before, too. Gives the relationship afterwards.
   * Joins an open transaction; lock order: after the session's log, before its turns. `decide` sees superseded memories as well.
   */
  readonly amend: <E, R>(session: SessionRef, decide: (now: Relationship) => Effect.Effect<Omit<Writing, "turnIndex"> & { readonly turnIndex?: number }, E, R>) => Effect.Effect<Relationship, E | DatabaseError, R>
  /** Every patch there is, the first first. */
  readonly patches: (session: SessionRef) => Effect.Effect<ReadonlyArray<Writing>, DatabaseError>
  /**
   * Makes the relationship anew out of its patches, in place of the rows that stand; what no patch has read yet is read again afterwards.
   * Null: there is no such session.
   */
  readonly rebuild: (sessionId: string) => Effect.Effect<Rebuilt | null, DatabaseError>
}>()("src/db/Relationships") {
  static readonly layer = Layer.effect(Relationships, Effect.gen(function*() {
    const database = yield* Database
    const { query, transaction } = database

    const read = Effect.fnUntraced(function*(session: SessionRef, superseded: boolean) {
      const { appId, sessionId } = session
      const [row] = yield* query<Array<RelationshipRow & { readonly memories: ReadonlyArray<Memory>; readonly loops: ReadonlyArray<OpenLoop> }>>((sql) => sql`
        select read_turn, version, bearing,
          coalesce((select json_agg(m order by id) from (
            select ${memoryColumns(sql)} from memories where app_id = ${appId} and session_id = ${sessionId} ${superseded ? sql`` : sql`and status <> 'superseded'`}
          ) m), '[]') as memories,
          coalesce((select json_agg(l order by id) from (select ${loopColumns(sql)} from open_loops where app_id = ${appId} and session_id = ${sessionId}) l), '[]') as loops
        from relationships where app_id = ${appId} and session_id = ${sessionId}`)
      if (row === undefined) return NEW_RELATIONSHIP
      return {
        memories: new Map(row.memories.map((memory) => [memory.id, memory])),
        loops: new Map(row.loops.map((loop) => [loop.id, loop])),
        bearing: { ...NEW_BEARING, ...row.bearing },
        version: row.version,
        readTurn: row.read_turn
      } satisfies Relationship
    })

    const standing = ({ appId, sessionId }: SessionRef) =>
      query<Array<{ bearing: Partial<Bearing> | null; open_loops: number }>>((sql) => sql`
        select (select bearing from relationships where app_id = ${appId} and session_id = ${sessionId}) as bearing,
          (select count(*)::int from open_loops where app_id = ${appId} and session_id = ${sessionId} and status in ('open', 'surfaced')) as open_loops`).pipe(
        Effect.map(([row]): Standing => ({ bearing: { ...NEW_BEARING, ...row?.bearing }, openLoops: row?.open_loops ?? 0 }))
      )

    /** Takes words that are forgotten out of what was written before. */
    const blank = Effect.fnUntraced(function*({ appId, sessionId }: SessionRef, gone: Gone) {
      const ids = [...gone.ids]
      // From the first of that time on: one that was made of a turn that was read late is of an earlier moment than those before it.
      const rows = yield* query<Array<{ version: number; at: Date; patch: Patch }>>((sql) => sql`
        select version, at, patch from relational_patches where app_id = ${appId} and session_id = ${sessionId}
          and version >= (select min(version) from relational_patches where app_id = ${appId} and session_id = ${sessionId} and at >= ${gone.since}::timestamptz)`)
      const since = new Date(Math.min(Date.parse(gone.since), ...rows.map(({ at }) => at.getTime())))
      for (const { version, patch } of rows) {
        yield* query((sql) => sql`
          update relational_patches set patch = ${JSON.stringify(without(patch, gone))}::text::json where app_id = ${appId} and session_id = ${sessionId} and version = ${version}::int`)
      }
      yield* query((sql) => sql`
        update snapshots set snapshot = jsonb_set(snapshot::jsonb, '{summary}', '""')::json where app_id = ${appId} and session_id = ${sessionId} and created_at >= ${since}`)
      yield* query((sql) => sql`
        update turns set initiative = jsonb_set(initiative::jsonb, '{about}', 'null')::json
        where app_id = ${appId} and session_id = ${sessionId} and initiative ->> 'about' = any(${[...gone.abouts]}::text[])`)
      // The answers to creates are kept for a day.
      yield* query((sql) => sql`
        delete from idempotency_keys where app_id = ${appId} and path = ${`/v1/sessions/${sessionId}/memories`} and response #>> '{data,id}' = any(${ids}::text[])`)
    })

    const writeRows = Effect.fnUntraced(function*(session: SessionRef, patch: Patch) {
      const { snapshot } = patch
      if (patch.memories.length > 0) {
        const dictionary = yield* sessionDictionary(session).pipe(Effect.provideService(Database, database))
        yield* query((sql) => writeMemories(sql, session, patch.memories, dictionary))
      }
      if (patch.loops.length > 0) yield* query((sql) => writeLoops(sql, session, patch.loops))
      if (snapshot !== null) yield* query((sql) => writeSnapshot(sql, session, snapshot))
    })

    const write = Effect.fnUntraced(function*(session: SessionRef, before: Relationship, { at, turnIndex, patch }: Writing) {
      const { appId, sessionId } = session
      const moment = at.toISOString()
      const after = apply(before, patch, moment, turnIndex)
      const gone = goneBy(before, patch)
      if (gone !== null) yield* blank(session, gone)
      yield* writeRows(session, patch)
      if (patch.recalled.length > 0) yield* query((sql) => writeRecalled(sql, session, patch.recalled, moment))
      yield* query((sql) => sql`
        with written as (
          ${writePatch(sql, session, after.version, turnIndex, moment, patch)}
        )
        update relationships set version = ${after.version}::int, read_turn = ${after.readTurn}::int, bearing = ${JSON.stringify(after.bearing)}::text::json,
          initiate_at = case when ${patch.loops.length > 0 || patch.bearing.preferences !== undefined} and initiate_at > now() then now() else initiate_at end
        where app_id = ${appId} and session_id = ${sessionId}`)
      return after
    })

    const amend = <E, R>(session: SessionRef, decide: (now: Relationship) => Effect.Effect<Omit<Writing, "turnIndex"> & { readonly turnIndex?: number }, E, R>) => transaction(Effect.gen(function*() {
      const { appId, sessionId } = session
      const lock = query<ReadonlyArray<unknown>>((sql) => sql`select 1 from relationships where app_id = ${appId} and session_id = ${sessionId} for no key update`)
      if ((yield* lock).length === 0) {
        yield* query((sql) => sql`insert into relationships (app_id, session_id) select app_id, session_id from sessions where app_id = ${appId} and session_id = ${sessionId} on conflict do nothing`)
        yield* lock
      }
      const now = yield* read(session, true)
      const { at, patch, turnIndex = null } = yield* decide(now)
      return isEmpty(patch) && turnIndex === null ? now : yield* write(session, now, { at, patch, turnIndex })
    }))

    const patches = ({ appId, sessionId }: SessionRef) => query<Array<{ at: Date; turn_index: number | null; patch: Patch }>>((sql) => sql`
      select at, turn_index, patch from relational_patches where app_id = ${appId} and session_id = ${sessionId} order by version`).pipe(
      Effect.map((rows) => rows.map(({ at, turn_index, patch }): Writing => ({ at, turnIndex: turn_index, patch })))
    )

    const rebuild = Effect.fnUntraced(function*(sessionId: string) {
      const [found] = yield* query<Array<{ app_id: string }>>((sql) => sql`select app_id from sessions where session_id = ${sessionId}`)
      if (found === undefined) return null
      const session = { appId: found.app_id, sessionId }
      yield* query((sql) => sql`select 1 from relationships where app_id = ${session.appId} and session_id = ${sessionId} for no key update`)
      const stood = yield* read(session, true)
      const all = yield* patches(session)
      const made = all.reduce((before, { patch, at, turnIndex }) => apply(before, patch, at.toISOString(), turnIndex), NEW_RELATIONSHIP)
      for (const table of ["memories", "open_loops", "snapshots"]) yield* query((sql) => sql`delete from ${sql(table)} where app_id = ${session.appId} and session_id = ${sessionId}`)
      yield* writeRows(session, { ...EMPTY_PATCH, memories: [...made.memories.values()], loops: [...made.loops.values()] })
      for (const { patch: { snapshot } } of all) if (snapshot !== null) yield* query((sql) => writeSnapshot(sql, session, snapshot))
      yield* query((sql) => sql`
        update relationships set version = ${made.version}::int, read_turn = ${made.readTurn}::int, bearing = ${JSON.stringify(made.bearing)}::text::json where app_id = ${session.appId} and session_id = ${sessionId}`)
      yield* query((sql) => sql`select ${addReadingJobs(sql, [session.appId], [sessionId])}`)
      const changed = !isDeepStrictEqual(sorted(stood), sorted(made))
      return { patches: all.length, memories: made.memories.size, loops: made.loops.size, changed }
    }, transaction)

    return Relationships.of({ standing, load: (session) => read(session, false), amend, patches, rebuild })
  }))
}
