import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { OpenLoop, Snapshot } from "#pipeline/relational/Relationship.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { loopColumns } from "./relationshipStatements.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

interface Page {
  /** Those older than this one. */
  readonly before: string | null
  readonly limit: number
}

/** Open loops and snapshots of a session, newest first. */
export class RelationshipLists extends Context.Service<
  RelationshipLists,
  {
    /** Except those that were opened by words that were forgotten. */
    readonly loops: (
      session: SessionRef,
      filter: Page & { readonly status: string | null }
    ) => Effect.Effect<ReadonlyArray<OpenLoop>, DatabaseError>
    readonly loop: (session: SessionRef, loopId: string) => Effect.Effect<OpenLoop | undefined, DatabaseError>
    readonly snapshots: (session: SessionRef, page: Page) => Effect.Effect<ReadonlyArray<Snapshot>, DatabaseError>
  }
>()("src/db/memory/RelationshipLists") {
  static readonly layer = Layer.effect(
    RelationshipLists,
    Effect.gen(function* () {
      const { query } = yield* Database
      return RelationshipLists.of({
        loops: ({ appId, sessionId }, { before, limit, status }) =>
          query<Array<OpenLoop>>(
            (sql) => sql`
        select ${loopColumns(sql)} from open_loops where app_id = ${appId} and session_id = ${sessionId} and text <> ''
          ${status === null ? sql`` : sql`and status = ${status}`}
          ${before === null ? sql`` : sql`and loop_id < ${before}`}
        order by loop_id desc limit ${limit}::int`
          ),
        loop: ({ appId, sessionId }, loopId) =>
          query<Array<OpenLoop>>(
            (sql) => sql`
        select ${loopColumns(sql)} from open_loops
          where app_id = ${appId} and session_id = ${sessionId} and loop_id = ${loopId} and text <> ''`
          ).pipe(Effect.map(([loop]) => loop)),
        snapshots: ({ appId, sessionId }, { before, limit }) =>
          query<Array<{ snapshot: Snapshot }>>(
            (sql) => sql`
        select snapshot from snapshots
          where app_id = ${appId} and session_id = ${sessionId} ${
            before === null
              ? sql``
              : sql`and snapshot_id <
            ${before}`
          }
        order by snapshot_id desc limit ${limit}::int`
          ).pipe(Effect.map((rows) => rows.map(({ snapshot }) => snapshot)))
      })
    })
  )
}
