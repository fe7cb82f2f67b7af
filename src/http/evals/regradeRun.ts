import * as Effect from "effect/Effect"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { beginEvalRun } from "./beginEvalRun.ts"
import { findFinishedRun } from "./findEvalRun.ts"

/** Begins a run that grades what another has played by the checks and gates that its suite has now. */
export const regradeRun = Effect.fnUntraced(function* (appId: string, runId: string, max_cost_usd: number | undefined) {
  const run = yield* findFinishedRun(appId, runId)
  // Of a suite that is gone what the run knows of it is left.
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
