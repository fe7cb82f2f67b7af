import * as Effect from "effect/Effect"
import * as z from "zod"
import type { Snapshot } from "#pipeline/relational/Relationship.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import type { Session } from "#src/db/conversation/Sessions.ts"
import { success } from "#src/http/server/envelope.ts"
import { snapshotNotFound } from "./memoryErrors.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { toMeter } from "#src/http/conversation/relationalMeter.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { SnapshotData, SnapshotPage } from "./snapshotSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionStateOf } from "#src/http/conversation/sessionStateOf.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"

export const snapshotRoutes: Routes = ({ app, answer }) => {
  const tags = ["Relationship"]
  const params = z.object({ session_id: z.string() })

  const toResources = Effect.fnUntraced(function* (
    appId: string,
    session: Session,
    snapshots: ReadonlyArray<Snapshot>
  ) {
    const {
      character: { relationship_posture: posture },
      exposes
    } = yield* sessionStateOf(appId, session)
    return snapshots.map(
      ({ id, turn_index, summary, emotion, stage, highlights, open_loop_ids, scores, created_at }) => {
        const { redacted, relationship_scores } = toMeter({
          posture,
          scores,
          nowMs: Date.parse(created_at),
          since: created_at,
          exposes
        })
        return {
          id,
          session_id: session.session_id,
          turn_index,
          summary,
          emotion,
          stage: redacted ? null : stage,
          highlights,
          open_loop_ids,
          scores: redacted ? null : relationship_scores,
          created_at
        }
      }
    )
  })

  app.get(
    "/v1/sessions/:session_id/snapshots",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "listSnapshots",
        summary: "List the snapshots of the relationship, newest first",
        tags,
        params,
        querystring: z.object(listQuery),
        response: answers(SnapshotPage, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          const session = yield* findSession(appId, request.params.session_id)
          const rows = yield* RelationshipLists.use((lists) =>
            lists.snapshots({ appId, sessionId: session.session_id }, { before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, ({ id }) => id)
          return success({ snapshots: yield* toResources(appId, session, items), next_cursor })
        })
      )
  )

  app.get(
    "/v1/sessions/:session_id/snapshots/latest",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "getLatestSnapshot",
        summary: "Get the newest snapshot",
        tags,
        params,
        response: answers(SnapshotData, "session_not_found", "snapshot_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const session = yield* findSession(appId, request.params.session_id)
          const rows = yield* RelationshipLists.use((lists) =>
            lists.snapshots({ appId, sessionId: session.session_id }, { before: null, limit: 1 })
          )
          const [latest] = yield* toResources(appId, session, rows)
          return success(latest ?? (yield* snapshotNotFound))
        })
      )
  )
}
