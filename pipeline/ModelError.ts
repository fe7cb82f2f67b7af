import * as Schema from "effect/Schema"

/**
 * Codes for calls that got no answer in time: our own timeout, and what a gateway returns if its model does not answer.
 */
const TIMEOUTS: ReadonlySet<string> = new Set(["timeout", "http_408", "http_504"])

/**
 * `refused`: the model answered, but it will not or cannot give what was asked (4xx, refusal, unusable output).
 * `unreachable`: no answer, or a temporary error (429, 5xx, timeout, connection lost).
 */
export class ModelError extends Schema.TaggedError<ModelError>()("ModelError", {
  reason: Schema.Literals(["refused", "unreachable"]),
  /** Short error code for the trace, such as `http_429` or `schema_mismatch`. Never the provider's text. */
  code: Schema.String,
  /** The known cost of the failed calls. */
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
  /** Whether the model, or a gateway in front of it, did not answer in time. */
  get isTimeout(): boolean {
    return TIMEOUTS.has(this.code)
  }
}
