import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Edge } from "#pipeline/world/World.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import {
  changeWorld,
  type CharacterRef,
  type FieldsOf,
  type Stored,
  type SessionGone,
  type WorldLimitReached,
  type WorldTable,
  worldTable
} from "./worldTable.ts"

/** Limits per character, and in addition per session. */
const MOST = 2_000
const MAX_OF_SESSION = 200

/**
 * Relations between nodes: at most 2,000 edges per character, and 200 per session. Edges that are no longer valid are
 * kept until their room is needed.
 */
export class GraphEdges extends Context.Service<
  GraphEdges,
  Pick<WorldTable<Edge>, "get" | "update"> & {
    /** Undefined: no such character. */
    readonly create: (
      of: CharacterRef,
      edge: FieldsOf<Edge>
    ) => Effect.Effect<Stored<Edge> | undefined, WorldLimitReached | SessionGone | DatabaseError>
    /**
     * Those that are valid at a time, of the character and of the session. Without a session, none of any session.
     * Oldest first.
     */
    readonly holding: (
      of: CharacterRef,
      at: Date,
      sessionId: string | null
    ) => Effect.Effect<ReadonlyArray<Stored<Edge>>, DatabaseError>
  }
>()("src/db/world/GraphEdges") {
  static readonly layer = Layer.effect(
    GraphEdges,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const tableOf = (most: number) =>
        worldTable<Edge>(database, {
          table: "graph_edges",
          prefix: "edg",
          most,
          sessionOf: ({ session_id }) => session_id,
          bySession: true
        })
      const ofCharacter = tableOf(MOST)
      const ofSession = tableOf(MAX_OF_SESSION)

      const makeRoom = ({ appId, slug }: CharacterRef, sessionId: string | null, most: number, now: string) =>
        query(
          (sql) => sql`
      delete from graph_edges where app_id = ${appId} and slug = ${slug} and id = (
        select id from graph_edges where app_id =
          ${appId} and slug = ${slug} and session_id is not distinct
            from ${sessionId} and fields ->> 'invalid_at' <= ${now} order by fields ->> 'invalid_at', id limit 1
      ) and (select count(*) from graph_edges
        where app_id = ${appId} and slug = ${slug} and session_id is not distinct from ${sessionId}) >= ${most}::int`
        )

      const create = Effect.fnUntraced(function* (of: CharacterRef, edge: FieldsOf<Edge>) {
        yield* changeWorld(database, of)
        const [table, most] = edge.session_id === null ? [ofCharacter, MOST] : [ofSession, MAX_OF_SESSION]
        yield* makeRoom(of, edge.session_id, most, new Date(yield* Clock.currentTimeMillis).toISOString())
        return yield* table.create(of, edge)
      }, transaction)

      const holding = (of: CharacterRef, at: Date, sessionId: string | null) =>
        ofCharacter.where(
          of,
          (sql) => sql`
      and (session_id is null or session_id =
        ${sessionId}) and fields ->> 'valid_at' <=
          ${at.toISOString()} and (fields ->> 'invalid_at' is null or fields ->> 'invalid_at' > ${at.toISOString()})`
        )

      return GraphEdges.of({ create, holding, get: ofCharacter.get, update: ofCharacter.update })
    })
  )
}
