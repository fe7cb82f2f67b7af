import * as Effect from "effect/Effect"
import { Outcome } from "../domain/Turn.ts"
import type { Reply } from "../generation/Writer.ts"
import { onFallback } from "../stageSummaries.ts"
import { draftOf, emitDraft, type Speech } from "./ReplyContext.ts"

const DEFAULT_EXIT_REASON = "boundary_violation"

/** The character leaves. The decision stands even if its last words do not pass the gates. */
export const leave = Effect.fnUntraced(function* (speech: Speech, reply: Reply): Effect.fn.Return<Outcome> {
  const { trail, question, texts } = speech
  const { bubbles } = yield* emitDraft(speech, draftOf(reply))
  const lastWords =
    bubbles ??
    (question === null
      ? []
      : yield* trail.stage("emission", Effect.succeed(texts.ai_disclosure.slice(0, 1)), () => onFallback(true)))
  return Outcome.cases.Exited.make({ reasonCode: reply.exit_reason ?? DEFAULT_EXIT_REASON, bubbles: lastWords })
})
