import type { Problem, ProblemKind } from "./Problem.ts"

/** Problems of the server that do not change what an app gets. */
const OPERATOR_ONLY: ReadonlySet<ProblemKind> = new Set([
  "worker_silent",
  "database_long_transaction",
  "database_asynchronous",
  "job_lag",
  "job_failed",
  "job_locked"
])
/** Problems of the server as a whole: an app sees that they exist, and no figures. */
const OF_SERVER: ReadonlySet<ProblemKind> = new Set([
  "database_unreachable",
  "database_slow",
  "database_standby",
  "database_direct_address",
  "clock_skewed",
  "disk_nearly_full",
  "no_worker"
])

const ASK: Problem["next_step"] = {
  by: "operator",
  description: "Tell the operator of this server",
  method: null,
  path: null,
  command: null
}

const shown = (problem: Problem): Problem => ({
  ...problem,
  evidence: OF_SERVER.has(problem.kind) ? {} : problem.evidence,
  next_step: problem.next_step.by === "app" ? problem.next_step : ASK
})

/** The problems as the developers of an app may see them. */
export const forApp = (problems: ReadonlyArray<Problem>): ReadonlyArray<Problem> =>
  problems.filter(({ kind }) => !OPERATOR_ONLY.has(kind)).map(shown)
