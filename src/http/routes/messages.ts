import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { type Accepted, Inbox, type RefusalReason } from "#pipeline/Inbox.ts"
import { curl, success } from "../envelope.ts"
import { type ApiError, budgetExceeded, demoInputTooLarge, demoQuotaExceeded, endUserCapExceeded, notFound, sessionExited, turnQueueFull } from "../errors.ts"
import { idempotencyKey } from "../idempotent.ts"
import { AcceptData, answers } from "../schemas/answers.ts"
import { MessageSend } from "../schemas/session.ts"
import type { Routes } from "../Server.ts"

const refusals: Record<RefusalReason, ApiError> = {
  session_not_found: notFound.session,
  message_limit_reached: demoQuotaExceeded("user messages"),
  message_too_long: demoInputTooLarge,
  session_exited: sessionExited,
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

export const messageRoutes: Routes = ({ app, answer, baseUrl }) => {
  app.post("/v1/sessions/:session_id/messages", {
    config: { within: "session", writes: true },
    schema: {
      operationId: "sendMessage",
      summary: "Send a user's message; the reply comes later, on the event log",
      tags: ["Messages"],
      params: z.object({ session_id: z.string() }),
      headers: z.object({ "idempotency-key": z.string().optional().describe("1 to 255 characters, unique per logical message") }),
      body: MessageSend,
      response: answers(AcceptData, 402, 404, 409, 413, 429)
    }
  }, (request, reply) =>
    answer(request, reply, Effect.gen(function*() {
      const sessionId = request.params.session_id
      if (!isId("ses", sessionId)) return yield* notFound.session
      const clientMessageId = yield* idempotencyKey(request)
      const inbox = yield* Inbox
      const accepted = yield* inbox.accept({
        appId: request.principal.appId,
        sessionId,
        text: request.body.text,
        replyMode: request.body.reply_mode,
        clientMessageId,
        source: "api"
      }).pipe(Effect.catchTag("Refused", ({ reason }) => Effect.fail(refusals[reason])))
      return success(toAcceptData(accepted), [
        { command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/events?since=${accepted.cursor}&wait=30`), description: "Poll for the reply" },
        { command: curl(baseUrl(), "GET", `/v1/sessions/${sessionId}/trace?run_ref=${accepted.runRef}`), description: "See what this turn took and cost" }
      ])
    })))
}
