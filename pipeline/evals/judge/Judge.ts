import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ChatMessage } from "../../chat.ts"
import type { Usage } from "../../domain/Turn.ts"
import type { ModelError } from "../../ModelError.ts"

/** The structured answer of a judge. A rubric asks for one of the three fields, and the other two are ignored. */
export const Judgement = Schema.Struct({
  reason: Schema.String,
  /** From 1 to 5. */
  score: Schema.NullOr(Schema.Number),
  /** Each from 1 to 5. */
  flaws: Schema.Array(Schema.Struct({ what: Schema.String, severity: Schema.Number })),
  better: Schema.NullOr(Schema.Literals(["first", "second", "tie"]))
})
export type Judgement = typeof Judgement.Type

export interface Judged {
  readonly judgement: Judgement
  readonly usage: Usage
  /** 0. Null if the model takes no temperature. */
  readonly temperature: number | null
}

interface JudgeShape {
  readonly model: string
  readonly judge: (messages: ReadonlyArray<ChatMessage>) => Effect.Effect<Judged, ModelError>
}

/** Port: judges a conversation by a rubric. An engine without a model has no judge. */
export const Judge = Context.Reference<JudgeShape | null>("pipeline/evals/Judge", { defaultValue: () => null })
export type Judge = JudgeShape
