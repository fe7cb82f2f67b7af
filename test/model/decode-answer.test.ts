import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decodeAnswer } from "#src/model/openai/decodeAnswer.ts"
import { completionOf, replyOf } from "#test/support/model/cannedServer.ts"

const decode = (body: unknown, status = 200) =>
  decodeAnswer(typeof body === "string" ? body : JSON.stringify(body), status)
const textOf = (content: unknown) => decode(completionOf(content)).text

describe("the text of an answer", () => {
  it.each([
    ["a text", "Hello!"],
    ["a list of one part", [{ type: "text", text: "Hello!" }]],
    [
      "a list of several parts",
      [
        { type: "text", text: "Hel" },
        { type: "text", text: "lo!" }
      ]
    ],
    ["a list of texts", ["Hel", "lo!"]],
    ["a part alone", { type: "text", text: "Hello!" }],
    ["parts of the Responses API", [{ type: "output_text", text: "Hello!" }]],
    ["a text with a value", [{ type: "text", text: { value: "Hello!" } }]],
    [
      "parts with thoughts and an unknown one",
      [
        { type: "thinking", thinking: [{ type: "text", text: "plan" }] },
        { type: "text", text: "Hello!" },
        { type: "new", text: "?" }
      ]
    ],
    ["a part that is marked as a thought", [{ text: "plan", thought: true }, { text: "Hello!" }]]
  ])("is found in %s", (_, content) => assert.strictEqual(textOf(content), "Hello!"))

  it("is the JSON of an object that stands in place of its text", () =>
    assert.deepStrictEqual(JSON.parse(textOf({ decision: "reply" })), { decision: "reply" }))

  it.each([
    ["reasoning", "plan"],
    ["reasoning_content", "plan"],
    ["reasoning_details", [{ type: "reasoning.text", text: "plan" }]]
  ])("does not hold the field %s", (field, value) => {
    const { text, thinking } = decode(completionOf("Hello!", "stop", { [field]: value }))
    assert.deepStrictEqual([text, thinking], ["Hello!", "plan"])
  })

  it("is empty if the model only calls a tool", () => {
    const calls = [{ id: "1", type: "function", function: { name: "look", arguments: "{}" } }]
    const answer = decode(completionOf(null, "tool_calls", { tool_calls: calls }))
    assert.deepStrictEqual([answer.text, answer.finish, answer.shape], ["", "stop", "completion"])
  })

  it("is not a refusal, in a field or in a part", () => {
    assert.strictEqual(decode(completionOf(null, "stop", { refusal: "No." })).refusal, "No.")
    assert.strictEqual(decode(completionOf([{ type: "refusal", refusal: "No." }])).refusal, "No.")
  })
})

describe("thoughts before an answer", () => {
  it.each([
    "<think>plan</think>Hello!",
    "<thinking>plan</thinking>\n\nHello!",
    "<thought>plan</thought>Hello!",
    "<seed:think>plan</seed:think>Hello!",
    '<reasoning effort="high">plan</reasoning>Hello!',
    "<my_reasoning>plan</my_reasoning>Hello!",
    "<think>one</think><think>two</think>Hello!",
    "<think>a <think>nested</think> plan</think>Hello!",
    "<think>a lone <think> in a plan</think>Hello!",
    "[THINK]plan[/THINK]Hello!",
    "◁think▷plan◁/think▷Hello!",
    "<|begin_of_thought|>plan<|end_of_thought|>Hello!",
    "<|START_THINKING|>plan<|END_THINKING|><|START_RESPONSE|>Hello!<|END_RESPONSE|>",
    "<think>plan</think><answer>Hello!</answer>",
    "<analysis>plan</analysis>Hello!",
    "<inner_monologue>plan</inner_monologue>Hello!",
    "<scratchpad>plan</scratchpad>\n<response>Hello!</response>",
    "plan\n</think>\n\nHello!",
    "<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>Hello!",
    "<|start|>assistant<|channel|>analysis<|message|>plan<|end|><|channel|>commentary<|message|>note<|end|>" +
      "<|start|>assistant<|channel|>final<|message|>Hello!<|return|>",
    "analysisThe person greets.assistantfinalHello!"
  ])("are removed by their structure: %s", (content) => assert.strictEqual(textOf(content), "Hello!"))

  it.each([
    "<think>the person wants",
    "<thinking>The person",
    "[THINK]plan",
    "<|channel|>analysis<|message|>the person"
  ])("leave nothing if they never end: %s", (content) => assert.strictEqual(textOf(content), ""))

  it.each([
    "She typed </think> on the terminal, and nothing came back.",
    "In the old files it says <think>nothing</think> again and again.",
    "[thinking] Let me see.",
    "<b>Hello!</b>",
    "<plan> is what the tag is called.",
    "<planet>Mars</planet> is in the file.",
    "<answer>42</answer> is what it printed.",
    "I think. <think> is what it said."
  ])("are not looked for in what a person should read: %s", (content) => assert.strictEqual(textOf(content), content))

  it("never swallow an answer after them, and never stay in it", () => {
    const words = fc.stringMatching(/^[a-z ,.!?\n]{1,80}$/).filter((text) => text.trim() !== "")
    const name = fc.constantFrom("think", "Thinking", "thought", "reasoning", "ns:think", "deep_thought", "x-reason")
    fc.assert(
      fc.property(words, words, name, (plan, answer, tag) => {
        const { text, thinking } = decode(completionOf(`<${tag}>${plan}</${tag}>${answer}`))
        assert.strictEqual(text, answer.trim())
        assert.strictEqual(thinking, plan.trim())
      })
    )
  })
})

describe("a stream that nobody asked for", () => {
  const event = (delta: unknown, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}`

  it("is joined, whatever stands between its events", () => {
    const stream = [
      ": OPENROUTER PROCESSING",
      event({ role: "assistant", content: "" }),
      event({ reasoning_content: "plan" }),
      event({ content: "Hel" }),
      event({ content: "lo!" }, "stop"),
      `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`,
      "data: [DONE]"
    ]
    for (const newline of ["\n\n", "\r\n\r\n", "\n"]) {
      const { text, thinking, finish, usage, shape } = decode(stream.join(newline))
      assert.deepStrictEqual([text, thinking, finish, shape], ["Hello!", "plan", "stop", "completion"])
      assert.deepStrictEqual(usage, { prompt_tokens: 3, completion_tokens: 2 })
    }
  })

  it("that breaks off is no answer", () => assert.strictEqual(decode(`${event({ content: "Hel" })}\n\n`).shape, "cut"))

  it("may say an error at any time", () => {
    const { error } = decode(`${event({ content: "Hel" })}\n\ndata: {"error":{"code":502,"message":"upstream"}}\n\n`)
    assert.strictEqual(error?.status, 502)
  })
})

describe("an error in an answer", () => {
  it.each([
    ["an object in a 200", { error: { message: "x", code: 502 } }, 200, 502],
    ["a code as a text", { error: { message: "x", code: "429" } }, 200, 429],
    ["in a choice", { choices: [{ error: { code: 402, message: "x" }, message: { content: "" } }] }, 200, 402],
    ["in a list", [{ error: { code: 400, message: "x", status: "INVALID_ARGUMENT" } }], 400, 400],
    ["a text", { error: "x" }, 404, 404],
    ["the body itself", { object: "error", message: "x", code: 400 }, 400, 400],
    ["a `detail`", { detail: [{ loc: ["body"], msg: "x" }] }, 422, 422],
    ["a more exact code than a vague status", { error: { code: 429, message: "x" } }, 500, 429],
    ["a page of a gateway", "<html><head><title>502 Bad Gateway</title></head></html>", 200, 502],
    ["a page with a status", "<html>Sorry</html>", 503, 503]
  ])("is found as %s", (_, body, status, found) => assert.strictEqual(decode(body, status).error?.status, found))

  it("never throws, and never invents a text, for anything that a server sends", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => JSON.stringify(value))
        ),
        (body) => {
          const { text, error, shape } = decode(body)
          if (shape !== "completion" || error !== null) assert.strictEqual(text === "" || shape === "cut", true)
        }
      ),
      { numRuns: 500 }
    )
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (message, finish) => {
        assert.isString(decode({ choices: [{ message, finish_reason: finish }] }).text)
        assert.isString(decode({ choices: [{ message: { content: message, reasoning: finish } }] }).text)
        assert.isString(decode({ error: message }).text)
      }),
      { numRuns: 500 }
    )
  })

  it.each(["<think>", "</think>\n", "{", "<|channel|>final<|message|>", "data: {}\n"])(
    "takes no longer than its length allows: %j",
    (piece) => assert.isString(decode(completionOf(piece.repeat(60_000))).text)
  )
})

describe("an answer whose values are nested 100,000 deep", () => {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000)
  const message = (inner: string) => `{"choices":[{"message":${inner},"finish_reason":"stop"}]}`
  it.each([
    ["in its content", 200, message(`{"content":${deep("[", "]")}}`)],
    ["in an object of its content", 200, message(`{"content":${deep('{"a":', "}").replace("}", "1}")}}`)],
    ["in its thoughts", 200, message(`{"content":"Hi","reasoning":${deep("[", "]")}}`)],
    ["in its usage", 200, `{"choices":[{"message":{"content":"Hi"}}],"usage":${deep("[", "]")}}`],
    ["in the detail of an error", 422, `{"detail":${deep("[", "]")}}`],
    ["in the message of an error", 400, `{"error":{"message":${deep("[", "]")}}}`],
    ["in the metadata of an error", 502, `{"error":{"message":"no","metadata":{"raw":${deep("[", "]")}}}}`],
    ["in a stream", 200, `data: {"choices":[{"delta":{"content":${deep("[", "]")}}}]}\n\ndata: [DONE]\n\n`]
  ])("is unreadable, %s", (_, status, body) => {
    const { text, error, shape } = decode(body, status)
    assert.deepStrictEqual([text, error?.status ?? null, shape], ["", status === 200 ? null : status, "unreadable"])
  })
})

it("an object after a draft is the answer, and the draft is not", () =>
  assert.strictEqual(textOf(`[THINK]${replyOf("DRAFT")}[/THINK]${replyOf("Final")}`), replyOf("Final")))
