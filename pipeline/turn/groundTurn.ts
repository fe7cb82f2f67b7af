import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { ground } from "../grounding/ground.ts"
import { BY_RULES, analyzeMessage } from "../grounding/analyzeMessage.ts"
import { summarizeGrounding } from "../stageSummaries.ts"
import type { Retrieval } from "../retrieval/retrieve.ts"
import type { SafetyVerdict } from "../safety/judge.ts"
import type { TurnTrace } from "../TurnTrace.ts"
import { keepReplyAffordable } from "./keepReplyAffordable.ts"
import type { TurnServices } from "./TurnServices.ts"

/** Has the message analyzed if the reply can be paid for as well, and resolves who and when. */
export const groundTurn = (
  { analyst, writer }: Pick<TurnServices, "analyst" | "writer">,
  trace: TurnTrace,
  turn: Turn,
  retrieval: Retrieval,
  screened: SafetyVerdict
) => {
  const { history, retrieved } = retrieval
  const memories = { history, recalled: retrieved.recalled, remembered: retrieved.memories }
  return trace.paidStage(
    "grounding",
    (onSpent) =>
      Effect.gen(function* () {
        // In a crisis, do not wait for a model.
        const understood =
          screened.action === "crisis" || turn.proactive !== undefined
            ? BY_RULES
            : yield* keepReplyAffordable(
                writer,
                turn,
                retrieval,
                screened,
                analyzeMessage(analyst, { turn, ...memories, onSpent })
              )
        return { ...understood, grounding: yield* ground(turn, memories, understood.analysis) }
      }),
    summarizeGrounding
  )
}
