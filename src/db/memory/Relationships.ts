import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isDeepStrictEqual } from "node:util"
import { type Gone, goneBy, without } from "#pipeline/relational/forget.ts"
import { apply, EMPTY_PATCH, isEmpty, type Patch } from "#pipeline/relational/Patch.ts"
import {
  type Bearing,
  type Memory,
  NEW_BEARING,
  NEW_RELATIONSHIP,
  type OpenLoop,
  type Relationship
} from "#pipeline/relational/Relationship.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import {
  type Amended,
  loopColumns,
  memoryColumns,
  type Of,
  type RelationshipRow,
  writeLoops,
  writeMemories,
  writePatches,
  writeRecalled,
  writeSnapshots
} from "./relationshipStatements.ts"
import { sessionDictionaries } from "./sessionDictionary.ts"
import { addReadingJobs } from "#src/db/conversation/turnJobs.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

interface Writing {
  readonly at: Date
  readonly turnIndex: number | null
  readonly patch: Patch
}

/** Decides on a patch against a relationship as it stands. */
export interface Amendment<E = never, R = never> {
  readonly session: SessionRef
  readonly decide: (
    now: Relationship
  ) => Effect.Effect<Omit<Writing, "turnIndex"> & { readonly turnIndex?: number }, E, R>
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
  const inOrder = <A extends { readonly id: string }>(items: ReadonlyMap<string, A>) =>
    [...items.values()].sort((a, b) => a.id.localeCompare(b.id))
  return { ...rest, memories: inOrder(memories), loops: inOrder(loops) }
}

/** Sessions as rows (app_id, session_id, n), in their order from 1. */
const wanted = (sql: Sql, sessions: ReadonlyArray<SessionRef>) =>
  sql`unnest(${sessions.map(({ appId }) => appId)}::text[],
    ${sessions.map(({ sessionId }) => sessionId)}::text[]) with ordinality as w(app_id, session_id, n)`

/**
 * What a character knows of a person and how it stands with them, as rows that patches write. A session that does not
 * exist has an empty one.
 */
export class Relationships extends Context.Service<
  Relationships,
  {
    /** How the two stand, without what is remembered. */
    readonly standing: (session: SessionRef) => Effect.Effect<Standing, DatabaseError>
    /** As it stands, with every memory that is not superseded and every loop. */
    readonly load: (session: SessionRef) => Effect.Effect<Relationship, DatabaseError>
    /**
     * Decides on a patch against the relationship as it stands, locked, and writes it; an empty one writes nothing.
     * What it forgets goes from what was written before, too. Gives the relationship afterwards. Joins an open
     * transaction; lock order: after the session's log, before its turns. `decide` sees superseded memories as well.
     */
    readonly amend: <E, R>(
      session: SessionRef,
      decide: Amendment<E, R>["decide"]
    ) => Effect.Effect<Relationship, E | DatabaseError, R>
    /**
     * The same for several sessions, no two alike, at once and all or none. Who joins a transaction with it holds their
     * logs.
     */
    readonly amendAll: <E, R>(
      amendments: ReadonlyArray<Amendment<E, R>>
    ) => Effect.Effect<ReadonlyArray<Relationship>, E | DatabaseError, R>
    /** Every patch there is, the first first. */
    readonly patches: (session: SessionRef) => Effect.Effect<ReadonlyArray<Writing>, DatabaseError>
    /**
     * Makes the relationship anew out of its patches, in place of the rows that stand; what no patch has read yet is
     * read again afterwards. Null: there is no such session.
     */
    readonly rebuild: (sessionId: string) => Effect.Effect<Rebuilt | null, DatabaseError>
  }
>()("src/db/memory/Relationships") {
  static readonly layer = Layer.effect(
    Relationships,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database

      const readAll = Effect.fnUntraced(function* (sessions: ReadonlyArray<SessionRef>, superseded: boolean) {
        const rows = yield* query<
          Array<
            RelationshipRow & {
              readonly n: number
              readonly memories: ReadonlyArray<Memory>
              readonly loops: ReadonlyArray<OpenLoop>
            }
          >
        >(
          (sql) => sql`
        select w.n::int, r.read_turn, r.version, r.bearing,
          coalesce((select json_agg(m order by id) from (
            select ${memoryColumns(sql)} from memories where app_id = w.app_id
              and session_id = w.session_id ${superseded ? sql`` : sql`and status <> 'superseded'`}
          ) m), '[]') as memories,
          coalesce((select json_agg(l order by id)
            from (select ${loopColumns(sql)} from open_loops where app_id = w.app_id and session_id = w.session_id) l),
              '[]') as loops
        from ${wanted(sql, sessions)} join relationships r using (app_id, session_id)`
        )
        const found = new Map(rows.map((row) => [row.n, row]))
        return sessions.map((_, place): Relationship => {
          const row = found.get(place + 1)
          return row === undefined
            ? NEW_RELATIONSHIP
            : {
                memories: new Map(row.memories.map((memory) => [memory.id, memory])),
                loops: new Map(row.loops.map((loop) => [loop.id, loop])),
                bearing: { ...NEW_BEARING, ...row.bearing },
                version: row.version,
                readTurn: row.read_turn
              }
        })
      })
      const read = (session: SessionRef, superseded: boolean) =>
        Effect.map(readAll([session], superseded), ([one = NEW_RELATIONSHIP]) => one)

      const standing = ({ appId, sessionId }: SessionRef) =>
        query<Array<{ bearing: Partial<Bearing> | null; open_loops: number }>>(
          (sql) => sql`
        select (select bearing from relationships where app_id = ${appId} and session_id = ${sessionId}) as bearing,
          (select count(*)::int from open_loops
            where app_id = ${appId} and session_id = ${sessionId} and status in ('open', 'surfaced')) as open_loops`
        ).pipe(
          Effect.map(([row]): Standing => ({
            bearing: { ...NEW_BEARING, ...row?.bearing },
            openLoops: row?.open_loops ?? 0
          }))
        )

      /** Takes words that are forgotten out of what was written before. */
      const blank = Effect.fnUntraced(function* ({ appId, sessionId }: SessionRef, gone: Gone) {
        const ids = [...gone.ids]
        // From the first of that time on: one that was made of a turn that was read late is of an earlier moment than
        // those before it.
        const rows = yield* query<Array<{ version: number; at: Date; patch: Patch }>>(
          (sql) => sql`
        select version, at, patch from relational_patches where app_id = ${appId} and session_id = ${sessionId}
          and version >= (select min(version) from relational_patches
            where app_id = ${appId} and session_id = ${sessionId} and at >= ${gone.since}::timestamptz)`
        )
        const since = new Date(Math.min(Date.parse(gone.since), ...rows.map(({ at }) => at.getTime())))
        for (const { version, patch } of rows) {
          yield* query(
            (sql) => sql`
          update relational_patches set patch =
            ${JSON.stringify(without(patch, gone))}::text::json
              where app_id = ${appId} and session_id = ${sessionId} and version = ${version}::int`
          )
        }
        yield* query(
          (sql) => sql`
        update snapshots set snapshot = jsonb_set(snapshot::jsonb, '{summary}', '""')::json
          where app_id = ${appId} and session_id = ${sessionId} and created_at >= ${since}`
        )
        yield* query(
          (sql) => sql`
        update turns set initiative = jsonb_set(initiative::jsonb, '{about}', 'null')::json
        where app_id = ${appId} and session_id =
          ${sessionId} and initiative ->> 'about' = any(${[...gone.abouts]}::text[])`
        )
        // The answers to creates are kept for a day.
        yield* query(
          (sql) => sql`
        delete from idempotency_keys where app_id =
          ${appId} and path = ${`/v1/sessions/${sessionId}/memories`}
            and response #>> '{data,id}' = any(${ids}::text[])`
        )
      })

      const writeRows = Effect.fnUntraced(function* (patches: ReadonlyArray<Of<Patch>>) {
        const memories = patches.flatMap(({ session, one }) => one.memories.map((memory) => ({ session, one: memory })))
        const loops = patches.flatMap(({ session, one }) => one.loops.map((loop) => ({ session, one: loop })))
        const snapshots = patches.flatMap(({ session, one: { snapshot } }) =>
          snapshot === null ? [] : [{ session, one: snapshot }]
        )
        if (memories.length > 0) {
          const dictionaryOf = yield* sessionDictionaries(memories.map(({ session }) => session)).pipe(
            Effect.provideService(Database, database)
          )
          yield* query((sql) =>
            writeMemories(
              sql,
              memories.map(({ session, one }, place) => ({ session, one: { ...one, dictionary: dictionaryOf(place) } }))
            )
          )
        }
        if (loops.length > 0) yield* query((sql) => writeLoops(sql, loops))
        if (snapshots.length > 0) yield* query((sql) => writeSnapshots(sql, snapshots))
      })

      const writeAll = Effect.fnUntraced(function* (
        amended: ReadonlyArray<Of<Amended & { readonly gone: Gone | null }>>
      ) {
        for (const {
          session,
          one: { gone }
        } of amended)
          if (gone !== null) yield* blank(session, gone)
        yield* writeRows(amended.map(({ session, one: { patch } }) => ({ session, one: patch })))
        const recalled = amended.flatMap(({ session, one: { at, patch } }) =>
          patch.recalled.map((id) => ({ session, one: { id, at } }))
        )
        if (recalled.length > 0) yield* query((sql) => writeRecalled(sql, recalled))
        if (amended.length > 0) yield* query((sql) => writePatches(sql, amended))
      })

      const amendAll = <E, R>(amendments: ReadonlyArray<Amendment<E, R>>) =>
        transaction(
          Effect.gen(function* () {
            const sessions = amendments.map(({ session }) => session)
            const [, , known] = yield* Effect.all(
              [
                query(
                  (sql) => sql`
          insert into relationships (app_id, session_id) select app_id, session_id
            from ${wanted(sql, sessions)} join sessions s using (app_id, session_id)
          where not exists (select from relationships r where r.app_id = s.app_id and r.session_id = s.session_id)
            order by app_id, session_id on conflict do nothing`
                ),
                query(
                  (sql) => sql`
          select 1 from relationships r join (select app_id, session_id
            from ${wanted(sql, sessions)}) w using (app_id, session_id) order by r.app_id,
              r.session_id for no key update of r`
                ),
                readAll(sessions, true)
              ],
              { concurrency: "unbounded" }
            )
            const decided = yield* Effect.forEach(
              amendments,
              ({ session, decide }, place) => {
                const now = known[place] ?? NEW_RELATIONSHIP
                return Effect.map(decide(now), ({ at, patch, turnIndex = null }) => {
                  const moment = at.toISOString()
                  return isEmpty(patch) && turnIndex === null
                    ? { now, amended: null }
                    : {
                        now,
                        amended: {
                          session,
                          one: {
                            at: moment,
                            turnIndex,
                            patch,
                            after: apply(now, patch, moment, turnIndex),
                            gone: goneBy(now, patch)
                          }
                        }
                      }
                })
              },
              { concurrency: "unbounded" }
            )
            yield* writeAll(decided.flatMap(({ amended }) => (amended === null ? [] : [amended])))
            return decided.map(({ now, amended }) => amended?.one.after ?? now)
          })
        )

      const amend = <E, R>(session: SessionRef, decide: Amendment<E, R>["decide"]) =>
        Effect.map(amendAll([{ session, decide }]), ([after = NEW_RELATIONSHIP]) => after)

      const patches = ({ appId, sessionId }: SessionRef) =>
        query<Array<{ at: Date; turn_index: number | null; patch: Patch }>>(
          (sql) => sql`
      select at, turn_index, patch from relational_patches
        where app_id = ${appId} and session_id = ${sessionId} order by version`
        ).pipe(
          Effect.map((rows) => rows.map(({ at, turn_index, patch }): Writing => ({ at, turnIndex: turn_index, patch })))
        )

      const rebuild = Effect.fnUntraced(function* (sessionId: string) {
        const [found] = yield* query<Array<{ app_id: string }>>(
          (sql) => sql`select app_id from sessions where session_id = ${sessionId}`
        )
        if (found === undefined) return null
        const session = { appId: found.app_id, sessionId }
        yield* query(
          (sql) =>
            sql`select 1 from relationships
              where app_id = ${session.appId} and session_id = ${sessionId} for no key update`
        )
        const stood = yield* read(session, true)
        const all = yield* patches(session)
        const made = all.reduce(
          (before, { patch, at, turnIndex }) => apply(before, patch, at.toISOString(), turnIndex),
          NEW_RELATIONSHIP
        )
        for (const table of ["memories", "open_loops", "snapshots"])
          yield* query(
            (sql) => sql`delete from ${sql(table)} where app_id = ${session.appId} and session_id = ${sessionId}`
          )
        yield* writeRows([
          { session, one: { ...EMPTY_PATCH, memories: [...made.memories.values()], loops: [...made.loops.values()] } }
        ])
        const snapshots = all.flatMap(({ patch: { snapshot } }) =>
          snapshot === null ? [] : [{ session, one: snapshot }]
        )
        if (snapshots.length > 0) yield* query((sql) => writeSnapshots(sql, snapshots))
        yield* query(
          (sql) => sql`
        update relationships set version =
          ${made.version}::int, read_turn =
            ${made.readTurn}::int, bearing =
              ${JSON.stringify(made.bearing)}::text::json where app_id = ${session.appId} and session_id = ${sessionId}`
        )
        yield* query((sql) => sql`select ${addReadingJobs(sql, [session.appId], [sessionId])}`)
        const changed = !isDeepStrictEqual(sorted(stood), sorted(made))
        return { patches: all.length, memories: made.memories.size, loops: made.loops.size, changed }
      }, transaction)

      return Relationships.of({ standing, load: (session) => read(session, false), amend, amendAll, patches, rebuild })
    })
  )
}
