import type { Check, CheckResult, CheckStatus } from "./Check.ts"
import type { Case } from "./Suite.ts"
import type { Trajectory } from "./Trajectory.ts"

export interface AskedCheck {
  readonly check: Check
  /** Of which turn, from 0; null: of the case. */
  readonly turn: number | null
}

/** Every check of a case, those of its turns first. */
export const checksOf = ({ turns, expect }: Case): ReadonlyArray<AskedCheck> => [
  ...turns.flatMap((turn, place) => turn.expect.map((check) => ({ check, turn: place }))),
  ...expect.map((check) => ({ check, turn: null }))
]

const WANTS_FAILURE = new Set<unknown>(["failed", "message.failed"])
/** Whether a turn failed that was not meant to: then the checks that hold of silence say nothing. */
const failedAgainstPlan = (asked: Case, { turns }: Trajectory): boolean =>
  turns.some(
    ({ outcome }, place) =>
      outcome === "failed" &&
      ![...asked.expect, ...(asked.turns[place]?.expect ?? [])].some(
        (check) => check.type === "event_type" && WANTS_FAILURE.has(check.value)
      )
  )

/** What all its checks make of a case. What could not be judged is not passed. */
export const statusOf = (asked: Case, trajectory: Trajectory, checks: ReadonlyArray<CheckResult>): CheckStatus => {
  const has = (status: CheckStatus) => checks.some((check) => check.status === status)
  if (has("error") || failedAgainstPlan(asked, trajectory)) return "error"
  return has("fail") ? "fail" : has("skipped") ? "skipped" : "pass"
}
