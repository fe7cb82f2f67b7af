import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { EvalRuns } from "#src/db/evals/EvalRuns.ts"
import { evalRunNotFinished, evalRunNotFound } from "./evalErrors.ts"

export const findEvalRun = Effect.fnUntraced(function* (appId: string, id: string) {
  const run = isId("evr", id) ? yield* EvalRuns.use((runs) => runs.get(appId, id)) : undefined
  return run ?? (yield* evalRunNotFound)
})
/** A run whose results will not change any more. */
export const findFinishedRun = Effect.fnUntraced(function* (appId: string, id: string) {
  const run = yield* findEvalRun(appId, id)
  return run.finished_at === null ? yield* evalRunNotFinished(id) : run
})
