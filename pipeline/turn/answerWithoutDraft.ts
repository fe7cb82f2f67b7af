import * as Effect from "effect/Effect"
import { Outcome } from "../domain/Turn.ts"
import { fallbackBubbles } from "../emission/fallback.ts"
import { mustTell } from "../emission/gates.ts"
import { summarizeFallback } from "../stageSummaries.ts"
import type { RefusedDraft } from "./redraftOnce.ts"
import type { ReplyContext } from "./ReplyContext.ts"

/** The outcome of a turn if no draft passed. An authored line is better than a failure. */
export const answerWithoutDraft = Effect.fnUntraced(function* (
  { trace, turn, context, texts, ownTexts, preface }: ReplyContext,
  refused: RefusedDraft
): Effect.fn.Return<Outcome> {
  // Nobody is waiting for a proactive message.
  if (turn.proactive !== undefined) return Outcome.cases.Withheld.make({ by: refused.by })
  const bubbles = yield* trace.stage(
    "emission",
    Effect.sync(() => fallbackBubbles(turn, context, texts, ownTexts, refused)),
    () => summarizeFallback(mustTell(context, refused.by))
  )
  return Outcome.cases.Replied.make({ bubbles: [...preface, ...bubbles] })
})
