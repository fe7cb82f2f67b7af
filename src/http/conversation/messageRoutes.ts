import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { Fault } from "#pipeline/domain/Turn.ts"
import { type Accepted, type InboundMessage, Inbox, type RefusalReason } from "#pipeline/Inbox.ts"
import { RateLimits, type RateLimitState } from "#src/db/tenancy/RateLimits.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { budgetExceeded, demoCreditUsed, endUserCapExceeded } from "#src/http/billing/billingErrors.ts"
import {
  demoInputTooLarge,
  endUserBlocked,
  sessionExited,
  turnQueueFull,
  sessionNotFound
} from "./conversationErrors.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { demoQuotaExceeded, quotaTaken, validationError } from "#src/http/server/errors.ts"
import { idempotencyKey } from "#src/http/server/idempotent.ts"
import { senderOf } from "#src/http/server/limits/Cost.ts"
import { sendRateLimitHeaders } from "#src/http/server/limits/rateLimitHeaders.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { MessageSend, MAX_CHARACTERS, AcceptData } from "./messageSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { sessionExists } from "./sessionExists.ts"

/** What a message that was not accepted is answered with. */
export const refusals: Record<RefusalReason, ApiError> = {
  session_not_found: sessionNotFound,
  message_limit_reached: demoQuotaExceeded("user messages"),
  message_too_long: demoInputTooLarge.about("body.text"),
  session_exited: sessionExited,
  end_user_blocked: endUserBlocked,
  budget_exceeded: budgetExceeded,
  end_user_cap_exceeded: endUserCapExceeded,
  turn_queue_full: turnQueueFull
}

/** Contract 2.4. */
const toAcceptData = (accepted: Accepted) => ({
  accepted: true,
  cursor: accepted.cursor,
  sent_turn_index: accepted.turnIndex,
  run_ref: accepted.runRef,
  reply_mode: accepted.replyMode,
  ...(accepted.replayed ? { idempotent_replay: true } : {})
})

/** Messages that were already accepted are answered even beyond the rate limit. */
const replayBeyond = Effect.fnUntraced(function* (
  standing: RateLimitState,
  { appId, sessionId, clientMessageId }: InboundMessage
) {
  const known =
    clientMessageId === null
      ? undefined
      : yield* Inbox.use((inbox) => inbox.replay({ appId, sessionId, clientMessageId }))
  return known ?? (yield* quotaTaken(standing))
})

/**
 * Cuts an oversized message to a length that still exceeds a demo key's limit, so that the inbox reports that limit to
 * a demo key.
 */
const cutForDemo = async (request: FastifyRequest) => {
  const body: unknown = request.body
  if (
    request.principal.kind !== "demo" ||
    typeof body !== "object" ||
    body === null ||
    !("text" in body) ||
    typeof body.text !== "string" ||
    body.text.length <= MAX_CHARACTERS
  )
    return
  request.body = { ...body, text: body.text.slice(0, MAX_CHARACTERS).toWellFormed() }
}

export const messageRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.post(
    "/v1/sessions/:session_id/messages",
    {
      config: {
        demo: true,
        exists: sessionExists,
        writes: true,
        tooLargeForDemo: demoInputTooLarge,
        cost: { messages: 1, pays: "the reply" }
      },
      preValidation: cutForDemo,
      schema: {
        operationId: "sendMessage",
        summary: "Send a user's message. The reply arrives later, on the event log",
        tags: ["Messages"],
        params: z.object({ session_id: z.string() }),
        headers: z.object({
          "idempotency-key": z.string().optional().describe("1 to 255 characters, unique per logical message"),
          "x-sandbox-fault": z
            .enum(Fault.literals)
            .optional()
            .describe(
              "Demo keys only: how the turn ends, to test a client. stall ends " +
                "as timed_out when the deadline of the turn is over"
            )
        }),
        body: MessageSend,
        response: answers(
          AcceptData,
          "budget_exceeded",
          "end_user_cap_exceeded",
          "demo_quota_exceeded",
          "session_not_found",
          "end_user_blocked",
          "session_exited",
          "demo_input_too_large",
          "turn_queue_full"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const sessionId = request.params.session_id
          if (!isId("ses", sessionId)) return yield* sessionNotFound
          const {
            principal,
            body,
            headers: { "x-sandbox-fault": fault }
          } = request
          if (fault !== undefined && principal.kind !== "demo")
            return yield* validationError(
              "headers.x-sandbox-fault: only demo keys can use this header",
              "Omit the header, or use the sandbox: POST /v1/demo/sandbox-key."
            )
          const clientMessageId = yield* idempotencyKey(request)
          const message = {
            appId: principal.appId,
            sessionId,
            text: body.text,
            replyMode: body.reply_mode,
            clientMessageId,
            source: "api" as const,
            fault
          }
          const standing = yield* RateLimits.use((limits) => limits.take(senderOf(request), "messages"))
          sendRateLimitHeaders(reply, standing)
          const accepted = standing.taken
            ? yield* Inbox.use((inbox) => inbox.accept(message)).pipe(
                Effect.catchTag("Refused", ({ reason }) =>
                  Effect.fail(
                    principal.kind === "demo" && reason === "budget_exceeded" ? demoCreditUsed : refusals[reason]
                  )
                )
              )
            : yield* replayBeyond(standing, message)
          return success(toAcceptData(accepted), [
            {
              command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/events?since=${accepted.cursor}&wait=30`),
              description: "Poll for the reply"
            },
            {
              command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/trace?run_ref=${accepted.runRef}`),
              description: "See the stages and the cost of this turn"
            }
          ])
        })
      )
  )
}
