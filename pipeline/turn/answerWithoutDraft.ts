import * as Effect from "effect/Effect"
import { Outcome } from "../domain/Turn.ts"
import { fallbackBubbles } from "../emission/fallback.ts"
import { onFallback } from "../stageSummaries.ts"
import type { RefusedDraft } from "./redraftOnce.ts"
import type { Speech } from "./ReplyContext.ts"

/** The outcome of a turn if no draft passed. An authored line is better than a failure. */
export const answerWithoutDraft = Effect.fnUntraced(function* (
  { trail, turn, context, texts, preface, question }: Speech,
  refused: RefusedDraft
): Effect.fn.Return<Outcome> {
  // Nobody is waiting for a proactive message.
  if (turn.initiative !== undefined) return Outcome.cases.Withheld.make({ by: refused.by })
  const bubbles = yield* trail.stage(
    "emission",
    Effect.sync(() => fallbackBubbles(turn, context, texts, refused)),
    () => onFallback(question !== null)
  )
  return Outcome.cases.Replied.make({ bubbles: [...preface, ...bubbles] })
})
