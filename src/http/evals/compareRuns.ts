import * as Effect from "effect/Effect"
import { compare } from "#pipeline/evals/compare.ts"
import { EvalRuns, type StoredRun } from "#src/db/evals/EvalRuns.ts"
import { toCaseResults } from "#src/db/evals/toCaseResults.ts"
import { validationError } from "#src/http/server/errors.ts"
import { findEvalRun, findFinishedRun } from "./findEvalRun.ts"
import { about } from "#src/http/server/about.ts"
import { evalRunNotFinished } from "./evalErrors.ts"

/** Compares two finished runs. The baseline is the named one, or else the one that the run was started with. */
export const compareRuns = Effect.fnUntraced(function* (appId: string, runId: string, named: string | undefined) {
  const run = yield* findEvalRun(appId, runId)
  const baselineId = named ?? run.baseline_run_id
  if (baselineId === null) return yield* validationError("query.baseline: Required, because the run has no baseline")
  const baseline = yield* findFinishedRun(appId, baselineId).pipe(about("query.baseline"))
  if (run.finished_at === null) return yield* evalRunNotFinished(run.run_id)
  const runs = yield* EvalRuns
  const results = (of: StoredRun) =>
    Effect.map(runs.allResults(appId, of.run_id), (rows) => toCaseResults(of.cases, rows))
  return {
    run_id: run.run_id,
    baseline_run_id: baselineId,
    ...compare(yield* results(run), yield* results(baseline), run.seed)
  }
})
