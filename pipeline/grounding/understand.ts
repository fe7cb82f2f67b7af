import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type { Usage } from "../domain/Turn.ts"
import { type Analysis, bounded } from "./Analysis.ts"
import type { Analyst, AnalyzeRequest } from "./Analyst.ts"

/**
 * From here on the rules decide alone, unless the analyst has a patience of its own: the person waits for the reply,
 * not for its analysis.
 */
const PATIENCE = "4 seconds"

export interface Understood {
  /** Null: the rules alone frame the turn. */
  readonly analysis: Analysis | null
  readonly usage: Usage | null
  /** Why there is no analysis although there is an analyst. */
  readonly errorCode: string | null
}

export const BY_RULES: Understood = { analysis: null, usage: null, errorCode: null }

/** Asks the analyst, if there is one. Never fails: a turn without an analysis is framed by rules. */
export const understand = Effect.fnUntraced(function* (
  analyst: Analyst | null,
  request: AnalyzeRequest
): Effect.fn.Return<Understood> {
  if (analyst === null) return BY_RULES
  let spent: Usage | null = null
  const onSpent = (usage: Usage) =>
    Effect.suspend(() => {
      spent = usage
      return request.onSpent(usage)
    })
  const answer = yield* analyst
    .analyze({ ...request, onSpent })
    .pipe(Effect.timeoutOption(analyst.patience ?? PATIENCE), Effect.result)
  if (Result.isFailure(answer)) return { analysis: null, usage: answer.failure.usage, errorCode: answer.failure.code }
  return Option.match(answer.success, {
    onNone: () => ({ analysis: null, usage: spent, errorCode: "timeout" }),
    onSome: ({ analysis, usage }) => ({ analysis: bounded(analysis), usage, errorCode: null })
  })
})
