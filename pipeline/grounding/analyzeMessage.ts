import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { isOnlyForwarded } from "../domain/referred.ts"
import type { Turn, Usage } from "../domain/Turn.ts"
import { DANGER_OF_ANOTHER } from "../safety/judge.ts"
import { type Analysis, bounded } from "./Analysis.ts"
import type { Analyst, AnalyzeRequest } from "./Analyst.ts"

/**
 * After this time only the rules decide, unless the analyst sets its own `patience`. The person is waiting for the
 * reply, not for the analysis.
 */
const TIMEOUT = "4 seconds"

export interface AnalyzedMessage {
  /** Null: only the rules frame the turn. */
  readonly analysis: Analysis | null
  readonly usage: Usage | null
  /** Why there is no analysis although there is an analyst. */
  readonly errorCode: string | null
}

export const BY_RULES: AnalyzedMessage = { analysis: null, usage: null, errorCode: null }

/** A message that only forwards says nothing of the person: no crisis of theirs, and no insult. */
const ofThePerson = (analysis: Analysis, turn: Turn): Analysis => {
  if (!isOnlyForwarded(turn)) return analysis
  const { intent, safety } = analysis
  const isCrisis = intent === "crisis" || safety.action === "crisis"
  return {
    ...analysis,
    intent: intent === "crisis" ? "smalltalk" : intent,
    safety: {
      ...safety,
      action: safety.action === "crisis" || (isCrisis && safety.action === "allow") ? "soften" : safety.action,
      categories: [
        ...safety.categories.filter((category) => category !== "boundary"),
        ...(isCrisis ? [DANGER_OF_ANOTHER] : [])
      ]
    }
  }
}

/** Asks the analyst, if there is one. Never fails: without an analysis, rules frame the turn. */
export const analyzeMessage = Effect.fnUntraced(function* (
  analyst: Analyst | null,
  request: AnalyzeRequest
): Effect.fn.Return<AnalyzedMessage> {
  if (analyst === null) return BY_RULES
  let spent: Usage | null = null
  const onSpent = (usage: Usage) =>
    Effect.suspend(() => {
      spent = usage
      return request.onSpent(usage)
    })
  const answer = yield* analyst
    .analyze({ ...request, onSpent })
    .pipe(Effect.timeoutOption(analyst.timeout ?? TIMEOUT), Effect.result)
  if (Result.isFailure(answer)) return { analysis: null, usage: answer.failure.usage, errorCode: answer.failure.code }
  return Option.match(answer.success, {
    onNone: () => ({ analysis: null, usage: spent, errorCode: "timeout" }),
    onSome: ({ analysis, usage }) => ({
      analysis: ofThePerson(bounded(analysis), request.turn),
      usage,
      errorCode: null
    })
  })
})
