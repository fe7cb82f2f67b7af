import * as Effect from "effect/Effect"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { beginEvalRun } from "./beginEvalRun.ts"
import { findFinishedRun } from "./findEvalRun.ts"

/** Starts a run that grades the trajectories of another run by the current checks and gates of its suite. */
export const regradeRun = Effect.fnUntraced(function* (appId: string, runId: string, max_cost_usd: number | undefined) {
  const run = yield* findFinishedRun(appId, runId)
  // If the suite was deleted, the run's own copy is used.
  const { cases, gates } = (yield* EvalSuites.use((suites) => suites.get(appId, run.suite_id))) ?? run
  const { suite_id, character_slug, character_version, reply_mode, engine, repeats, seed, baseline_run_id } = run
  return yield* beginEvalRun(appId, {
    suite_id,
    character_slug,
    character_version,
    reply_mode,
    engine,
    repeats,
    seed,
    cases,
    gates,
    baseline_run_id,
    regrade_of: run.run_id,
    max_cost_usd
  })
})
