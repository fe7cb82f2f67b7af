import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { History, type HistoryRefused } from "#src/db/conversation/History.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { validationError } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { historyFull, historyTooLate, sessionExited, sessionNotFound } from "./conversationErrors.ts"
import { HistoryAppend, HistoryData } from "./historySchemas.ts"
import { sessionExists } from "./sessionExists.ts"

/** How far the caller's clock may be ahead. */
const AHEAD_MS = 60_000

const FIX = "Send the messages in the order in which they were said, with the times at which they were said."
const outOfOrder = (index: number) =>
  validationError(`body.messages[${index}].at: must not be before the message before it`, FIX)

const REFUSALS: Record<HistoryRefused["reason"], ApiError> = {
  session_not_found: sessionNotFound,
  session_exited: sessionExited,
  turns_began: historyTooLate,
  full: historyFull,
  out_of_order: outOfOrder(0)
}

export const historyRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.post(
    "/v1/sessions/:session_id/history",
    {
      config: { exists: sessionExists, writes: true },
      schema: {
        operationId: "addHistory",
        summary: "Add messages of a conversation that was held elsewhere, before the first message of a session",
        tags: ["Messages"],
        params: z.object({ session_id: z.string() }),
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: HistoryAppend,
        response: answers(HistoryData, "session_not_found", "session_exited", "history_too_late", "history_full")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const sessionId = request.params.session_id
            if (!isId("ses", sessionId)) return yield* sessionNotFound
            const messages = request.body.messages.map(({ role, text, at }) => ({ role, text, at: new Date(at) }))
            const latest = (yield* Clock.currentTimeMillis) + AHEAD_MS
            for (const [index, { at }] of messages.entries()) {
              if (at.getTime() > latest)
                return yield* validationError(`body.messages[${index}].at: is in the future`, FIX)
              const before = messages[index - 1]
              if (before !== undefined && at < before.at) return yield* outOfOrder(index)
            }
            const appended = yield* History.use((history) =>
              history.append({ appId: request.principal.appId, sessionId }, messages)
            ).pipe(Effect.catchTag("HistoryRefused", ({ reason }) => Effect.fail(REFUSALS[reason])))
            return success(
              {
                appended: messages.length,
                first_cursor: appended.firstCursor,
                last_cursor: appended.lastCursor,
                total: appended.total
              },
              [
                {
                  command: curl(baseUrl(), "POST", `/v1/sessions/${sessionId}/recall`, {
                    text: "What do you know about me?"
                  }),
                  description: "See what the character recalls of it"
                }
              ]
            )
          })
        )
      )
  )
}
