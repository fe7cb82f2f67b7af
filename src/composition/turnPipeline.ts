import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Critic } from "#pipeline/critic/Critic.ts"
import { REWRITE_RULES } from "#pipeline/critic/criticPrompt.ts"
import { BLOCK_RULES } from "#pipeline/generation/blockRules.ts"
import {
  JSON_FORM,
  LAST_WORD,
  PLAIN_FORM,
  PROACTIVE_LAST_WORD,
  SERVICE_RULES
} from "#pipeline/generation/serviceRules.ts"
import { Analyst } from "#pipeline/grounding/Analyst.ts"
import { Similar } from "#pipeline/retrieval/Similar.ts"
import { TurnPipeline, type TurnPipelineOptions } from "#pipeline/Turn.ts"
import { Settings } from "#src/settings/Settings.ts"
import { offlineWriter } from "./model.ts"

/** What the models that write are told. Nobody else may read it. */
const SERVICE_TEXT = [
  SERVICE_RULES,
  JSON_FORM,
  PLAIN_FORM,
  ...Object.values(BLOCK_RULES),
  LAST_WORD,
  PROACTIVE_LAST_WORD,
  REWRITE_RULES
].join("\n")

export const turnOptions = Effect.map(Settings, ({ deadlines, safetyTexts, ownTexts }): TurnPipelineOptions => ({
  deadlines,
  serviceText: SERVICE_TEXT,
  safetyTexts,
  ownTexts
}))

/** The turn pipeline with the engine of this process. */
export const turnPipeline = Layer.unwrap(Effect.map(turnOptions, TurnPipeline.layer))

/**
 * The turn pipeline without any model. A separate layer, because layers are memoized and the one above is built only
 * once.
 */
export const offlinePipeline = Layer.unwrap(
  Effect.map(turnOptions, (options) =>
    TurnPipeline.layer(options).pipe(
      Layer.provide([
        offlineWriter,
        Layer.succeed(Analyst, null),
        Layer.succeed(Critic, null),
        Layer.succeed(Similar, null)
      ])
    )
  )
)
