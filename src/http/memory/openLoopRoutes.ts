import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import type { OpenLoop } from "#pipeline/relational/Relationship.ts"
import { RelationshipEdits } from "#src/db/memory/RelationshipEdits.ts"
import { RelationshipLists } from "#src/db/memory/RelationshipLists.ts"
import { mapEditErrors } from "./mapEditErrors.ts"
import { success } from "#src/http/server/envelope.ts"
import { openLoopNotFound } from "./memoryErrors.ts"
import { findSession } from "#src/http/conversation/findSession.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { loopStatus, OpenLoopData, OpenLoopPage, OpenLoopPatch } from "./openLoopSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "#src/http/conversation/sessionExists.ts"
import { openLoopExists } from "./memoryExists.ts"

const toResource =
  (sessionId: string) =>
  ({ id, ...loop }: OpenLoop) => ({ id, session_id: sessionId, ...loop })

export const openLoopRoutes: Routes = ({ app, answer }) => {
  const tags = ["Relationship"]
  const inSession = z.object({ session_id: z.string() })

  app.get(
    "/v1/sessions/:session_id/open-loops",
    {
      config: { demo: true, exists: sessionExists },
      schema: {
        operationId: "listOpenLoops",
        summary: "List the open loops of the session: topics to return to, newest first",
        tags,
        params: inSession,
        querystring: z.object({ status: loopStatus.optional(), ...listQuery }),
        response: answers(OpenLoopPage, "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId } = request.params
          const { appId } = request.principal
          const { status = null, limit, cursor } = request.query
          const before = yield* cursorKey(cursor)
          yield* findSession(appId, sessionId)
          const rows = yield* RelationshipLists.use((lists) =>
            lists.loops({ appId, sessionId }, { status, before, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, ({ id }) => id)
          return success({ open_loops: items.map(toResource(sessionId)), next_cursor })
        })
      )
  )

  app.patch(
    "/v1/sessions/:session_id/open-loops/:loop_id",
    {
      config: { demo: true, exists: openLoopExists, writes: true },
      schema: {
        operationId: "updateOpenLoop",
        summary: "Resolve or reopen an open loop, or set when it is due",
        tags,
        params: inSession.extend({ loop_id: z.string() }),
        body: OpenLoopPatch,
        response: answers(OpenLoopData.extend(written), "open_loop_not_found", "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { session_id: sessionId, loop_id: id } = request.params
          const { appId } = request.principal
          yield* findSession(appId, sessionId)
          if (!isId("lop", id)) return yield* openLoopNotFound
          const { status, due_at } = request.body
          const loop = yield* mapEditErrors(
            RelationshipEdits.use((edits) =>
              edits.changeLoop({ appId, sessionId }, id, {
                ...(status !== undefined && { status }),
                ...(due_at !== undefined && { due_at: due_at === null ? null : new Date(due_at).toISOString() })
              })
            ),
            openLoopNotFound
          )
          return success(toResource(sessionId)(loop))
        })
      )
  )
}
