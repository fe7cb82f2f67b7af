import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Expenses } from "#src/db/billing/Expenses.ts"
import { EvalQueue } from "#src/db/evals/EvalQueue.ts"
import { EvalRuns } from "#src/db/evals/EvalRuns.ts"
import { EvalSuites } from "#src/db/evals/EvalSuites.ts"
import { ShadowSessions } from "#src/db/evals/ShadowSessions.ts"
import { EvalEngines } from "#src/jobs/evals/EvalEngines.ts"
import { EvalRunner } from "#src/jobs/evals/EvalRunner.ts"
import { Prices } from "#src/model/prices.ts"
import { evalMicroUsd, ConfiguredModels } from "#src/model/reservation.ts"
import { Settings } from "#src/settings/Settings.ts"
import { inbox } from "./conversation.ts"
import { offlinePipeline } from "./turnPipeline.ts"

const runs = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Settings
    const worst = evalMicroUsd(yield* Prices, yield* ConfiguredModels)
    return EvalRuns.layer({
      isFree: (engine) => engine === "offline" || settings.model === null,
      worstMicroUsd: worst
    })
  })
).pipe(Layer.provide(Expenses.layer))

/** Services that routes use. */
export const serving = Layer.merge(EvalSuites.layer, runs)

/** Services that jobs use. Eval cases run on the same workers as the turns of any session. */
export const working = EvalRunner.layer.pipe(
  Layer.provide([
    EvalQueue.layer.pipe(Layer.provide(Expenses.layer)),
    runs,
    ShadowSessions.layer,
    EvalEngines.layer(offlinePipeline),
    inbox
  ])
)
