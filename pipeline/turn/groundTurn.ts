import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { ground } from "../grounding/ground.ts"
import { BY_RULES, understand } from "../grounding/analyzeMessage.ts"
import { onGrounding } from "../stageSummaries.ts"
import type { Retrieval } from "../retrieval/retrieve.ts"
import type { SafetyVerdict } from "../safety/judge.ts"
import type { Trail } from "../TurnTrace.ts"
import type { TurnServices } from "./TurnServices.ts"

/** Has the message analyzed, and resolves who and when. */
export const groundTurn = (
  analyst: TurnServices["analyst"],
  trail: Trail,
  turn: Turn,
  { history, retrieved }: Retrieval,
  screened: SafetyVerdict
) => {
  const memories = { history, recalled: retrieved.recalled, remembered: retrieved.memories }
  return trail.paying(
    "grounding",
    (onSpent) =>
      Effect.gen(function* () {
        // In a crisis, do not wait for a model.
        const understood =
          screened.action === "crisis" || turn.initiative !== undefined
            ? BY_RULES
            : yield* understand(analyst, { turn, ...memories, onSpent })
        return { ...understood, grounding: yield* ground(turn, memories, understood.analysis) }
      }),
    onGrounding
  )
}
