import { budgetExceeded } from "#src/http/billing/billingErrors.ts"
import { defineError } from "#src/http/server/catalogue.ts"

export const evalSuiteNotFound = defineError(
  404,
  "eval_suite_not_found",
  "There is no such suite in this app.",
  "List the app's suites with GET /v1/evals/suites."
)
export const evalRunNotFound = defineError(
  404,
  "eval_run_not_found",
  "There is no such eval run in this app.",
  "List them with GET /v1/evals/runs."
)
export const evalNotFunded = budgetExceeded.saying(
  "The app's budget does not cover the first case of the run. Nothing was charged."
)
const needsEvalBudget = defineError(
  409,
  "eval_budget_required",
  "A run with a model needs a cost limit.",
  'Send max_cost_usd, or engine: "offline", which costs nothing.'
)
export const evalBudgetRequired = (leastUsd: number) =>
  needsEvalBudget.saying(
    `A run with a model needs a cost limit, and the most expensive case of this run may cost ${leastUsd} USD.`,
    `Send max_cost_usd of ${leastUsd} or more, or engine: "offline", which costs nothing.`
  )
const unfinishedEval = defineError(
  409,
  "eval_run_not_finished",
  "The run has not ended yet.",
  "Poll the run until it has a finished_at, or cancel it with POST /v1/evals/runs/{run_id}/cancel."
)
export const evalRunNotFinished = (runId: string) => unfinishedEval.saying(`The run ${runId} has not ended yet.`)
