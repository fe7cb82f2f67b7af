import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Turn, Usage } from "../domain/Turn.ts"
import type { ModelError } from "../ModelError.ts"
import type { Remembered } from "../retrieval/MemoryStore.ts"
import type { Recalled } from "../retrieval/Retrieved.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { Analysis } from "./Analysis.ts"

export interface AnalyzeRequest {
  readonly turn: Turn
  readonly history: ReadonlyArray<Utterance>
  readonly recalled: ReadonlyArray<Recalled>
  readonly remembered: ReadonlyArray<Remembered>
  /** Called before each further model call with the cost so far. */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
}

interface AnalystShape {
  /** How long a reply may wait for the analysis. */
  readonly timeout?: Duration.Input
  readonly analyze: (
    request: AnalyzeRequest
  ) => Effect.Effect<{ readonly analysis: Analysis; readonly usage: Usage }, ModelError>
}

/**
 * Port: analyzes a message before it is answered. An engine without a model has no analyst, and only rules frame the
 * turn.
 */
export const Analyst = Context.Reference<AnalystShape | null>("pipeline/grounding/Analyst", {
  defaultValue: () => null
})
export type Analyst = AnalystShape
