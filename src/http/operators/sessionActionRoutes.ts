import * as Effect from "effect/Effect"
import * as z from "zod"
import { SessionActions } from "#src/db/operators/SessionActions.ts"
import { Erasures } from "#src/db/privacy/Erasures.ts"
import { Exports } from "#src/db/privacy/Exports.ts"
import { endUserNotFound, exportLimitReached } from "#src/http/privacy/privacyErrors.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ACTS } from "./access.ts"
import { Reason } from "./botActionRoutes.ts"
import { findAnySession, toOperatorSession } from "./operatorSessionRoutes.ts"
import { OperatorSession } from "./operatorSessionSchemas.ts"

const time = z.iso.datetime()
const ExportState = z.object({
  export_id: z.string(),
  app_id: z.string(),
  external_user_ref: z.string(),
  status: z.enum(["queued", "running", "ready", "failed"]),
  created_at: time
})
const ErasureState = z.object({
  erasure_id: z.string(),
  app_id: z.string(),
  status: z.enum(["queued", "running", "completed"]),
  created_at: time,
  completed_at: time.nullable()
})

/** `Retry-After` while the app has its maximum number of exports. */
const LIMITED_SECONDS = 60

/** What operators do to a session of any app. */
export const sessionActionRoutes: Routes = ({ app, answer }) => {
  const params = z.object({ session_id: z.string() })
  const shown = answers(OperatorSession.extend(written), "session_not_found")

  app.post(
    "/admin/sessions/:session_id/cancel-turn",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "cancelTurn",
        summary: "End the turn that is being answered, or else the next one, without a reply",
        params,
        body: Reason.optional(),
        response: shown
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const session = yield* findAnySession(request.params.session_id)
          yield* SessionActions.use((actions) => actions.cancelTurn(session, request.body?.reason ?? null))
          return success(toOperatorSession(yield* findAnySession(session.session_id)))
        })
      )
  )

  app.post(
    "/admin/sessions/:session_id/end",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "endSession",
        summary: "End a session with a session.exited event. Its waiting turns end with it",
        params,
        body: Reason.optional(),
        response: shown
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const session = yield* findAnySession(request.params.session_id)
          yield* SessionActions.use((actions) => actions.end(session, request.body?.reason ?? null))
          return success(toOperatorSession(yield* findAnySession(session.session_id)))
        })
      )
  )

  app.post(
    "/admin/sessions/:session_id/export",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "exportSessionUser",
        summary: "Prepare the export of the session's end-user for the app. The operator does not see it",
        params,
        response: answers(ExportState, "end_user_not_found", "session_not_found", "export_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id, external_user_ref } = yield* findAnySession(request.params.session_id)
          const made = yield* Exports.use((exports) => exports.request(app_id, external_user_ref)).pipe(
            Effect.catchTag("ExportsLimited", () => Effect.fail(exportLimitReached.after(LIMITED_SECONDS)))
          )
          if (made === undefined) return yield* endUserNotFound
          const { export_id, status, created_at } = made
          return success({ export_id, app_id, external_user_ref, status, created_at: created_at.toISOString() })
        })
      )
  )

  app.post(
    "/admin/sessions/:session_id/erase",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "eraseSessionUser",
        summary: "Erase the session's end-user: all their sessions with this app, and their profile",
        params,
        response: answers(ErasureState, "end_user_not_found", "session_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id, external_user_ref } = yield* findAnySession(request.params.session_id)
          const begun = yield* Erasures.use((erasures) => erasures.begin(app_id, external_user_ref))
          if (begun === undefined) return yield* endUserNotFound
          const { erasure_id, status, created_at, completed_at } = begun
          return success({
            erasure_id,
            app_id,
            status,
            created_at: created_at.toISOString(),
            completed_at: completed_at?.toISOString() ?? null
          })
        })
      )
  )
}
