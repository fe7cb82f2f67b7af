import { assert, describe, it } from "@effect/vitest"
import { fromServer } from "#src/model/openai/failure.ts"
import { TABLE } from "#src/model/openai/failureTable.ts"
import { saidBy } from "#src/model/openai/said.ts"

const error = (status: number | null, message: string, code = "", param = "") =>
  fromServer({ status, message, code, param, retryAfterMs: null }, null)

/** One error for each row of the table, in its order. */
const ROWS: ReadonlyArray<readonly [number | null, string, string]> = [
  [503, "Loading model", ""],
  [402, "Insufficient Balance", ""],
  [401, "", ""],
  [400, "The prompt triggered the content management policy", ""],
  [400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT"],
  [400, "max_tokens is too large: 32000. This model supports at most 4096 completion tokens", ""],
  [400, "This model's maximum context length is 8192 tokens", "context_length_exceeded"],
  [400, "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", ""],
  [400, "Unsupported value: 'temperature' does not support 0.7", ""],
  [500, "System role not supported", ""],
  [400, "parameter.enable_thinking must be set to false for non-streaming calls", ""],
  [500, 'response_format type must be one of "text" or "json_object"', "server_error"],
  [400, "The model `x` does not exist", "model_not_found"],
  [404, "", ""],
  [400, "Invalid schema for function", ""],
  [403, "", ""],
  [503, "", ""],
  [500, "The engine is overloaded", ""],
  [429, "Model is overloaded", ""],
  [429, "Slow down", ""],
  [504, "", ""],
  [413, "", ""],
  [null, "Unexpected endpoint or method", ""],
  [500, "Something broke", ""],
  [418, "I am a teapot", ""]
]

describe("the table of failures", () => {
  it("has an example for each row", () => assert.lengthOf(ROWS, TABLE.length))

  it.each(ROWS.map(([status, message, code], index) => [index, status, message, code] as const))(
    "row %i: %s %s",
    (index, status, message, code) => {
      const row = TABLE[index]
      const { failure, remedy, parameter } = error(status, message, code)
      assert.deepStrictEqual([failure, remedy, parameter], [row?.failure, row?.remedy, row?.parameter ?? null])
    }
  )

  it.each([
    ["max_tokens must be at least 1, got -186.", "context_overflow", null],
    ["max_tokens: Field required", "bad_request", null],
    ["This endpoint does not support max_tokens", "parameter_refused", "length_name"]
  ])("takes no mention of a parameter for its refusal: %s", (message, failure, parameter) => {
    const found = error(400, message)
    assert.deepStrictEqual([found.failure, found.parameter], [failure, parameter])
  })

  it("takes a gateway without a provider for all parameters for one that refuses the format", () => {
    const { failure, remedy, format } = error(404, "No endpoints found that can handle the requested parameters.")
    assert.deepStrictEqual([failure, remedy, format], ["format_refused", "adapt", true])
    assert.strictEqual(error(404, "No endpoints found for some/model.").failure, "no_model")
  })

  it("keeps the pause that a body asks for", () => {
    const signs = { status: 429, message: "Slow down", code: "", param: "", retryAfterMs: 34_000 }
    assert.strictEqual(fromServer(signs, null).retryAfterMs, 34_000)
    assert.strictEqual(fromServer(signs, 2_000).retryAfterMs, 2_000)
  })
})

describe("what a server said", () => {
  it.each([
    ["The model `gpt-x` does not exist", "The model … does not exist"],
    ["Incorrect API key provided: sk-abc123DEF", "Incorrect API key provided …"],
    ["the prompt was: My sister is called Zanzibar.", "the prompt was … is …"],
    ["call +4915112345678 or https://x.example/?key=abc", "…"]
  ])("is kept without what may be a key or a person's words: %s", (message, said) =>
    assert.strictEqual(saidBy(message), said === "…" ? null : said)
  )

  it("is cut", () => assert.isAtMost(saidBy("token ".repeat(1_000))?.length ?? 0, 201))
})
