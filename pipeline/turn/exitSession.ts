import * as Effect from "effect/Effect"
import { Outcome } from "../domain/Turn.ts"
import type { Reply } from "../generation/Writer.ts"
import { summarizeFallback } from "../stageSummaries.ts"
import { draftOf, emitDraft, type ReplyContext } from "./ReplyContext.ts"

const DEFAULT_EXIT_REASON = "boundary_violation"

/** The character leaves. The decision stands even if its last words do not pass the gates. */
export const exitSession = Effect.fnUntraced(function* (
  replyContext: ReplyContext,
  reply: Reply
): Effect.fn.Return<Outcome> {
  const { trace, question, texts } = replyContext
  const { bubbles } = yield* emitDraft(replyContext, draftOf(reply))
  const lastWords =
    bubbles ??
    (question === null
      ? []
      : yield* trace.stage("emission", Effect.succeed(texts.ai_disclosure.slice(0, 1)), () => summarizeFallback(true)))
  return Outcome.cases.Exited.make({ reasonCode: reply.exit_reason ?? DEFAULT_EXIT_REASON, bubbles: lastWords })
})
