import type { Check, CheckResult, CheckStatus } from "./Check.ts"
import type { Case } from "./Suite.ts"
import type { Trajectory } from "./Trajectory.ts"

export interface AskedCheck {
  readonly check: Check
  /** Index of the turn, from 0. Null: the check is about the whole case. */
  readonly turn: number | null
}

/** Every check of a case, those of its turns first. */
export const checksOf = ({ turns, expect }: Case): ReadonlyArray<AskedCheck> => [
  ...turns.flatMap((turn, index) => turn.expect.map((check) => ({ check, turn: index }))),
  ...expect.map((check) => ({ check, turn: null }))
]

const WANTS_FAILURE = new Set<unknown>(["failed", "message.failed"])
/** Whether a turn failed that was expected to succeed. Checks that pass on silence then say nothing. */
const failedAgainstPlan = (asked: Case, { turns }: Trajectory): boolean =>
  turns.some(
    ({ outcome }, index) =>
      outcome === "failed" &&
      ![...asked.expect, ...(asked.turns[index]?.expect ?? [])].some(
        (check) => check.type === "event_type" && WANTS_FAILURE.has(check.value)
      )
  )

/** The status of a case from all its checks. A check that could not be judged does not pass. */
export const statusOf = (asked: Case, trajectory: Trajectory, checks: ReadonlyArray<CheckResult>): CheckStatus => {
  const has = (status: CheckStatus) => checks.some((check) => check.status === status)
  if (has("error") || failedAgainstPlan(asked, trajectory)) return "error"
  return has("fail") ? "fail" : has("skipped") ? "skipped" : "pass"
}
