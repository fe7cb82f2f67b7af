import type { CaseResult } from "#pipeline/evals/metrics.ts"
import type { Case } from "#pipeline/evals/Suite.ts"
import type { StoredResult } from "./EvalRuns.ts"

/** The finished results, as input for the statistics. */
export const toCaseResults = (
  cases: ReadonlyArray<Case>,
  results: ReadonlyArray<StoredResult>
): ReadonlyArray<CaseResult> => {
  const byKey = new Map(cases.map((one) => [one.key, one]))
  return results.flatMap(({ case_key, repeat, status, checks, trajectory, cost_micro_usd }) => {
    const asked = byKey.get(case_key)
    return asked === undefined || status === null
      ? []
      : [{ asked, repeat, status, checks: checks ?? [], trajectory, costMicroUsd: cost_micro_usd }]
  })
}
