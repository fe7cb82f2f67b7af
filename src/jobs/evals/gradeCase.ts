import * as Effect from "effect/Effect"
import type { CheckResult } from "#pipeline/evals/Check.ts"
import { grade } from "#pipeline/evals/grade.ts"
import type { Judge } from "#pipeline/evals/judge/Judge.ts"
import { type JudgedCheck, judgeCheck } from "#pipeline/evals/judge/judgeCheck.ts"
import type { Played } from "#pipeline/evals/Played.ts"
import { checksOf, statusOf } from "#pipeline/evals/result.ts"
import type { Trajectory } from "#pipeline/evals/Trajectory.ts"
import type { Done } from "#src/db/evals/EvalQueue.ts"

/** A case that could not be graded at all. */
export const ungraded = (detail: string, costMicroUsd = 0): Done => ({
  status: "error",
  checks: [{ type: "played", turn: null, status: "error", detail }],
  trajectory: null,
  costMicroUsd
})

/**
 * Grades a played case check by check. The judge's cost is added to the cost of playing. `baseline`: the same case in
 * the run that it is compared with.
 */
export const gradeCase = Effect.fnUntraced(function* (
  judge: Judge | null,
  played: Played,
  baseline: Trajectory | null,
  costMicroUsd: number
): Effect.fn.Return<Done> {
  const graded = yield* Effect.forEach(checksOf(played.asked), ({ check, turn }): Effect.Effect<JudgedCheck> => {
    if (check.type === "judge") return judgeCheck(judge, check, played, turn, baseline)
    const result: CheckResult = { type: check.type, turn, ...grade(check, played, turn) }
    return Effect.succeed({ result, costMicroUsd: 0 })
  })
  const checks = graded.map(({ result }) => result)
  return {
    status: statusOf(played.asked, played.trajectory, checks),
    checks,
    trajectory: played.trajectory,
    costMicroUsd: graded.reduce((sum, one) => sum + one.costMicroUsd, costMicroUsd)
  }
})
