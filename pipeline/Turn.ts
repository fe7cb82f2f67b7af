import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Outcome, StageRecord, Turn } from "./domain/Turn.ts"
export class TurnPipeline extends Context.Service<TurnPipeline, {
  readonly run: (turn: Turn) => Effect.Effect<{ readonly outcome: Outcome; readonly stages: ReadonlyArray<StageRecord> }>
}>()("pipeline/Turn") {}
