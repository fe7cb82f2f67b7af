import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { polish } from "../critic/polish.ts"
import type { EmittedDraft } from "../emission/emit.ts"
import type { ReplyContext } from "./ReplyContext.ts"
import type { TurnServices } from "./TurnServices.ts"

/** How much of the deadline to reserve for emission. */
const EMISSION_MS = 1_000

/**
 * The draft for emission. In deep mode it goes through the critic if the deadline leaves time. A slow critic must not
 * fail a reply that could be sent.
 */
export const draftWithinDeadline = Effect.fnUntraced(function* (
  critic: TurnServices["critic"],
  { trace, turn, context }: ReplyContext,
  unpolished: EmittedDraft,
  deadlineAt: number
): Effect.fn.Return<EmittedDraft> {
  if (turn.replyMode !== "deep") return unpolished
  // An engine without a critic is equally fast in both modes, and the trace shows it.
  if (critic === null) {
    trace.skip("critic", "no_critic")
    return unpolished
  }
  const left = deadlineAt - EMISSION_MS - (yield* Clock.currentTimeMillis)
  const enough = Effect.map(Effect.sleep(Math.max(0, left)), () => {
    trace.expire()
    return unpolished
  })
  return yield* Effect.raceFirst(polish(critic, trace, turn, unpolished, context), enough)
})
