import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Turn, Usage } from "../domain/Turn.ts"
import type { ModelError } from "../ModelError.ts"

export const FlawType = Schema.Literals([
  "voice",
  "persona",
  "repetition",
  "sycophancy",
  "assistant_tone",
  "contradiction",
  "over_explaining"
])

/** The structured answer of the critic. Severity goes from 1 to 5. */
export const Critique = Schema.Struct({
  flaws: Schema.Array(
    Schema.Struct({
      bubble: Schema.Number,
      type: FlawType,
      severity: Schema.Number,
      fix: Schema.String
    })
  ),
  rewrite: Schema.Boolean
})
export type Critique = typeof Critique.Type

export const Rewrite = Schema.Struct({ bubbles: Schema.Array(Schema.String) })
export type Rewrite = typeof Rewrite.Type

export interface CritiqueRequest {
  readonly turn: Turn
  readonly draft: ReadonlyArray<string>
  /** The character's last messages, oldest first. */
  readonly before: ReadonlyArray<string>
  /** Called before each further model call with the cost so far. */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
}
export interface RewriteRequest extends CritiqueRequest {
  readonly critique: Critique
}

interface CriticShape {
  readonly critique: (
    request: CritiqueRequest
  ) => Effect.Effect<{ readonly critique: Critique; readonly usage: Usage }, ModelError>
  readonly rewrite: (
    request: RewriteRequest
  ) => Effect.Effect<{ readonly bubbles: ReadonlyArray<string>; readonly usage: Usage }, ModelError>
}

/** Port: judges the voice of a draft in deep mode and rewrites it. An engine without a model has no critic. */
export const Critic = Context.Reference<CriticShape | null>("pipeline/critic/Critic", { defaultValue: () => null })
export type Critic = CriticShape

const RESTLESS = 4
/** A draft is rewritten if the severities of its flaws add up to this, or if a single flaw is this severe. */
export const needsRewrite = ({ flaws }: Critique): boolean =>
  flaws.reduce((sum, { severity }) => sum + Math.min(5, Math.max(0, severity)), 0) >= RESTLESS
