import * as Schema from "effect/Schema"

/** The codes of a call that got no answer in time: our own limit, and what a gateway says when its model is silent. */
const TIMEOUTS: ReadonlySet<string> = new Set(["timeout", "http_408", "http_504"])

/**
 * `refused`: the model answered and will not, or cannot, give what was asked (4xx, refusal, unusable output).
 * `unreachable`: no answer, or a passing one (429, 5xx, time-out, connection lost).
 */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: Schema.Literals(["refused", "unreachable"]),
  /** Short machine word for the trace, such as `http_429` or `schema_mismatch`. Never the provider's text. */
  code: Schema.String,
  /** What the failed calls are known to have cost. */
  usage: Schema.NullOr(
    Schema.Struct({
      model: Schema.String,
      inputTokens: Schema.Int,
      cachedInputTokens: Schema.Int,
      outputTokens: Schema.Int,
      costMicroUsd: Schema.Int,
      estimated: Schema.Boolean,
      unpriced: Schema.optionalKey(Schema.Literal(true))
    })
  )
}) {
  /** Whether the model, or a gateway in front of it, gave no answer in time. */
  get isTimeout(): boolean {
    return TIMEOUTS.has(this.code)
  }
}
