import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { polish } from "../critic/polish.ts"
import type { EmittedDraft } from "../emission/emit.ts"
import type { Speech } from "./Speech.ts"
import type { TurnServices } from "./TurnServices.ts"

/** What emission needs of a deadline at most. */
const EMISSION_MS = 1_000

/**
 * The draft as it goes to emission: in deep mode after the critic, as far as the time until the deadline allows. A
 * reply that could go out does not fall to a critic that is slow.
 */
export const draftWithinDeadline = Effect.fnUntraced(function* (
  critic: TurnServices["critic"],
  { trail, turn, context }: Speech,
  unpolished: EmittedDraft,
  deadlineAt: number
): Effect.fn.Return<EmittedDraft> {
  if (turn.replyMode !== "deep") return unpolished
  // An engine without a critic is as fast in both modes; the trace does not hide it.
  if (critic === null) {
    trail.skip("critic", "no_critic")
    return unpolished
  }
  const left = deadlineAt - EMISSION_MS - (yield* Clock.currentTimeMillis)
  const enough = Effect.map(Effect.sleep(Math.max(0, left)), () => {
    trail.expire()
    return unpolished
  })
  return yield* Effect.raceFirst(polish(critic, trail, turn, unpolished, context), enough)
})
