import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { BreakGlass } from "#src/db/operators/BreakGlass.ts"
import { sessionNotFound } from "#src/http/conversation/conversationErrors.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { BreakGlassData, BreakGlassOpen } from "./operatorAccessSchemas.ts"

const noSuchSession = sessionNotFound.saying(
  "There is no such session on this server.",
  "Search for sessions with GET /admin/sessions."
)

/** Access to what was said in a session, for a reason that is recorded. */
export const breakGlassRoutes: Routes = ({ app, answer }) => {
  app.post(
    "/admin/sessions/:session_id/break-glass",
    {
      config: { auth: { operator: "owner" }, writes: true },
      schema: {
        operationId: "openContent",
        summary: "Open the content of a session to yourself for 15 minutes. The reason is kept in the audit log",
        params: z.object({ session_id: z.string() }),
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: BreakGlassOpen,
        response: answers(BreakGlassData.extend(created), "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { session_id } = request.params
            if (!isId("ses", session_id)) return yield* noSuchSession
            const until = yield* BreakGlass.use((glass) => glass.open(session_id, request.body.reason))
            return success({ session_id, open_until: (until ?? (yield* noSuchSession)).toISOString() })
          })
        )
      )
  )
}
