import * as Effect from "effect/Effect"
import { EvalRuns, MAX_OPEN_RUNS, type RunOrder, worstOf } from "#src/db/evals/EvalRuns.ts"
import { toUsd } from "#src/http/server/usd.ts"
import { rateLimited } from "#src/http/server/errors.ts"
import { evalBudgetRequired, evalNotFunded } from "./evalErrors.ts"

/**
 * Starts a run within its cost limit. Unless it is free, it needs a limit that covers its most expensive case, and an
 * app that can pay for its first case.
 */
export const beginEvalRun = Effect.fnUntraced(function* (
  appId: string,
  {
    max_cost_usd,
    ...asked
  }: Omit<RunOrder, "max_cost_micro_usd" | "prompt_bytes"> & { readonly max_cost_usd: number | undefined }
) {
  const runs = yield* EvalRuns
  const most = Math.round((max_cost_usd ?? 0) * 1_000_000)
  const prompt_bytes = yield* runs.promptBytes(appId, asked.character_slug, asked.character_version)
  const order = { ...asked, prompt_bytes }
  const dearest = Math.max(...order.cases.map((one) => worstOf(runs.pricing, order, one)))
  if (dearest > most) return yield* evalBudgetRequired(toUsd(dearest)).about("body.max_cost_usd")
  return yield* runs.create(appId, { ...order, max_cost_micro_usd: most }).pipe(
    Effect.catchTags({
      EvalUnfunded: () => Effect.fail(evalNotFunded),
      TooManyEvals: () =>
        Effect.fail(rateLimited(`The app has ${MAX_OPEN_RUNS} unfinished eval runs, which is the limit.`))
    })
  )
})
