import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Judge } from "#pipeline/evals/judge/Judge.ts"
import { Extractor } from "#pipeline/relational/Extractor.ts"
import { TurnPipeline } from "#pipeline/Turn.ts"
import type { RunOrder } from "#src/db/evals/EvalRuns.ts"

/** The components with which a run writes, extracts and judges its turns. */
export interface EvalEngine {
  readonly pipeline: TurnPipeline["Service"]
  readonly extractor: Extractor | null
  readonly judge: Judge | null
}

/** The engine that this server replies with, and the offline engine without any model. Each is built on first use. */
export class EvalEngines extends Context.Service<
  EvalEngines,
  {
    readonly of: (engine: RunOrder["engine"]) => Effect.Effect<EvalEngine>
  }
>()("src/jobs/evals/EvalEngines") {
  static readonly layer = <R>(offlinePipeline: Layer.Layer<TurnPipeline, never, R>) =>
    Layer.effect(
      EvalEngines,
      Effect.gen(function* () {
        const served: EvalEngine = { pipeline: yield* TurnPipeline, extractor: yield* Extractor, judge: yield* Judge }
        const scope = yield* Effect.scope
        const services = yield* Effect.context<R>()
        const offline = yield* Effect.cached(
          Layer.buildWithScope(offlinePipeline, scope).pipe(
            Effect.map((built): EvalEngine => ({
              pipeline: Context.get(built, TurnPipeline),
              extractor: null,
              judge: null
            })),
            Effect.provideContext(services)
          )
        )
        return EvalEngines.of({ of: (engine) => (engine === "offline" ? offline : Effect.succeed(served)) })
      })
    )
}
