import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Patch } from "#pipeline/relational/Patch.ts"
import {
  type Bearing,
  type Memory,
  NEW_BEARING,
  NEW_RELATIONSHIP,
  type OpenLoop,
  type Relationship
} from "#pipeline/relational/Relationship.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import type { Database, Sql } from "#src/db/postgres/Database.ts"
import type { RelationshipState, Writing } from "./Relationships.ts"
import { loopColumns, memoryColumns, type RelationshipRow } from "./relationshipStatements.ts"

/** Sessions as rows (app_id, session_id, n), numbered from 1. */
export const sessionRows = (sql: Sql, sessions: ReadonlyArray<SessionRef>) =>
  sql`unnest(${sessions.map(({ appId }) => appId)}::text[],
    ${sessions.map(({ sessionId }) => sessionId)}::text[]) with ordinality as w(app_id, session_id, n)`

/** Queries for relationships and their patches. */
export const makeRelationshipReader = ({ query }: Context.Service.Shape<typeof Database>) => {
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
    from ${sessionRows(sql, sessions)} join relationships r using (app_id, session_id)`
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
      Effect.map(([row]): RelationshipState => ({
        bearing: { ...NEW_BEARING, ...row?.bearing },
        openLoops: row?.open_loops ?? 0
      }))
    )

  const patches = ({ appId, sessionId }: SessionRef) =>
    query<Array<{ at: Date; turn_index: number | null; patch: Patch }>>(
      (sql) => sql`
  select at, turn_index, patch from relational_patches
    where app_id = ${appId} and session_id = ${sessionId} order by version`
    ).pipe(
      Effect.map((rows) => rows.map(({ at, turn_index, patch }): Writing => ({ at, turnIndex: turn_index, patch })))
    )

  return { readAll, read, standing, patches }
}
