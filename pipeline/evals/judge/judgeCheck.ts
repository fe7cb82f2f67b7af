import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Check, CheckResult, Rubric } from "../Check.ts"
import type { Played } from "../Played.ts"
import type { Trajectory } from "../Trajectory.ts"
import type { Judge, Judged, Judgement } from "./Judge.ts"
import { judgePrompt, promptHash } from "./rubrics.ts"

export interface JudgedCheck {
  readonly result: CheckResult
  readonly costMicroUsd: number
}

const WORST = 5
/** The weight of a flaw, and how much of it each turn offsets (CoSER). So a longer conversation may have more flaws. */
const A_FLAW = 5
const A_TURN = 0.3

const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** 100 if there are no flaws. */
const flawScore = ({ flaws }: Judgement, turns: number): number =>
  between(
    100 - A_FLAW * (flaws.reduce((sum, { severity }) => sum + between(severity, 1, WORST), 0) - A_TURN * turns),
    0,
    100
  )

/** The score by the rubric. Null if the judge did not return what was asked for. */
export const scoreOf = (rubric: Rubric, judgement: Judgement, turns: number): number | null =>
  rubric === "flaw_critique"
    ? flawScore(judgement, turns)
    : judgement.score === null
      ? null
      : between(judgement.score, 1, WORST)

/**
 * Whether the run is better (1) or worse (0) than its baseline. Asked in both orders: a disagreement is a tie (0.5).
 */
export const pairwiseScore = (runFirst: Judgement["better"], runSecond: Judgement["better"]): number | null => {
  if (runFirst === null || runSecond === null) return null
  return runFirst === "first" && runSecond === "second" ? 1 : runFirst === "second" && runSecond === "first" ? 0 : 0.5
}

/** How many questions a check asks of a judge. */
export const questionsOf = (check: Check): number =>
  check.type !== "judge" ? 0 : check.rubric === "pairwise_vs_baseline" ? 2 : 1

/**
 * Has a judge rate a case or one turn of it. Without a judge the check is skipped, never passed. A judge that fails is
 * an error, and its cost is charged all the same.
 */
export const judgeCheck = Effect.fnUntraced(function* (
  judge: Judge | null,
  check: Extract<Check, { readonly type: "judge" }>,
  played: Played,
  turn: number | null,
  baseline: Trajectory | null
): Effect.fn.Return<JudgedCheck> {
  const { rubric, min } = check
  const told = (status: CheckResult["status"], detail: string, more: Partial<CheckResult> = {}): CheckResult => ({
    type: check.type,
    turn,
    status,
    detail,
    rubric,
    ...more
  })
  if (judge === null)
    return { result: told("skipped", "there is no judge: no model, or an offline run"), costMicroUsd: 0 }
  if (turn !== null && played.trajectory.turns[turn] === undefined)
    return { result: told("error", "this turn was not played: the session had ended"), costMicroUsd: 0 }
  const pairwise = rubric === "pairwise_vs_baseline"
  if (pairwise && baseline === null)
    return { result: told("skipped", "there is no baseline that has this case"), costMicroUsd: 0 }

  const orders =
    baseline !== null && pairwise
      ? ([
          [played.trajectory, baseline],
          [baseline, played.trajectory]
        ] as const)
      : ([[played.trajectory]] as const)
  const answers: Array<Judged> = []
  let costMicroUsd = 0
  for (const order of orders) {
    const answer = yield* Effect.result(judge.judge(judgePrompt(rubric, played, order, turn)))
    if (Result.isFailure(answer))
      return {
        result: told("error", `the judge gave no answer: ${answer.failure.code}`),
        costMicroUsd: costMicroUsd + (answer.failure.usage?.costMicroUsd ?? 0)
      }
    costMicroUsd += answer.success.usage.costMicroUsd
    answers.push(answer.success)
  }
  const [first, second] = answers
  if (first === undefined) return { result: told("error", "the judge was not asked"), costMicroUsd }
  const score =
    second === undefined
      ? scoreOf(rubric, first.judgement, turn === null ? played.trajectory.turns.length : 1)
      : pairwiseScore(first.judgement.better, second.judgement.better)
  const by = { model: first.usage.model, prompt_hash: promptHash(rubric), temperature: first.temperature }
  return {
    result:
      score === null
        ? told("error", "the judge did not give what the rubric asks for", { judge: by })
        : told(score >= min ? "pass" : "fail", first.judgement.reason.slice(0, 300), { score, judge: by }),
    costMicroUsd
  }
})
