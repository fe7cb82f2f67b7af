import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { decodeAnswer } from "#src/model/openai/decodeAnswer.ts"
import { fromServer } from "#src/model/openai/failure.ts"
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
    "analysisThe person greets.assistantfinalHello!",
    "[REASONING]plan[/REASONING]Hello!",
    "<|thinking|>plan<|/thinking|>Hello!",
    "<deliberation>plan</deliberation>Hello!",
    "<思考>plan</思考>\nHello!",
    "<notes>plan</notes>\n<reply>Hello!</reply>",
    '<details type="reasoning"><summary>Thought for 3 s</summary>plan</details>\n<answer>Hello!</answer>',
    "```thinking\nplan\n```\nHello!",
    "```reasoning\nplan\n```js\nx\n```\nplan\n```\n\nHello!",
    "**Thinking:** plan **Answer:** Hello!",
    "**Thinking**\nplan\n\n**Final answer**\nHello!",
    "## My reasoning\nplan\n\n## Response\nHello!",
    "Thought: plan\nAnswer: a draft\nFinal Answer: Hello!",
    "plan</think>Hello!",
    "The person greets me.</think>\n\nHello!",
    "one\ntwo\n[/THINK] Hello!",
    "</think>Hello!",
    "Hello!<|im_end|>",
    "Hello!<|eot_id|>",
    "Hello!</s>",
    "Hello! <|im_end|>\n<|endoftext|>",
    "<|im_start|>assistant\nHello!<|im_end|>",
    "<|start_header_id|>assistant<|end_header_id|>\n\nHello!<|eot_id|>",
    "<|START_RESPONSE|>Hello!<|END_RESPONSE|></s>",
    "<think>plan</think>Hello!<｜end▁of▁sentence｜>"
  ])("are removed by their structure: %s", (content) => assert.strictEqual(textOf(content), "Hello!"))

  it.each([
    "<think>the person wants",
    "<thinking>The person",
    "[THINK]plan",
    "```thinking\nThe person",
    "The person wants warmth.</think>",
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
    "I think. <think> is what it said.",
    "The closing tag is </think>. It ends the plan.",
    "`</think>` is a tag, and so is <thinking>.",
    "I would write </think>",
    "What does the file say after x</think>, then?",
    "The last token is called </s>",
    "**Thinking:** that is what I do.",
    "**Note:** the **Answer:** is 42.",
    "<place>The harbour</place> is where I am.",
    "<b>Listen.</b>\nHello!",
    "```js\nx\n```\nHello!"
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

  it.each([
    ["begins with a short comment", [":ok", event({ content: "Hel" }), event({ content: "lo!" }, "stop")]],
    ["has no spaces", [event({ content: "Hello!" }, "stop").replace("data: ", "data:"), "data:[DONE]"]],
    ["ends with its usage", [event({ content: "Hello!" }, "stop"), `data: {"usage":{"prompt_tokens":3}}`]],
    ["holds texts", [`data: {"choices":[{"text":"Hello!","finish_reason":"stop"}]}`]],
    ["tells of its progress", [`data: {"status":"queued","message":"Soon"}`, event({ content: "Hello!" }, "stop")]],
    [
      "mixes several choices",
      [
        `data: {"choices":[{"index":1,"delta":{"content":"Other"}}]}`,
        event({ content: "Hel" }),
        `data: {"choices":[{"index":1,"delta":{},"finish_reason":"length"},{"index":0,"delta":{"content":"lo!"}}]}`,
        event({}, "stop")
      ]
    ]
  ])("is joined if it %s", (_, lines) => {
    for (const newline of ["\n\n", "\r\n\r\n"]) {
      const { text, finish, error, shape } = decode(lines.join(newline))
      assert.deepStrictEqual([text, error, shape], ["Hello!", null, "completion"])
      assert.strictEqual(finish, "stop")
    }
  })

  it.each([
    ["with a code", `event: error\ndata: {"message":"slow down","code":429}`, 429, "slow down"],
    ["in another", `event: error\ndata: {"type":"error","error":{"message":"Overloaded"}}`, null, "Overloaded"],
    ["in words", "event: error\ndata: rate limit reached", null, "rate limit reached"],
    ["as a line", `error: {"code":503,"message":"busy"}`, 503, "busy"],
    ["without a name", `data: {"object":"error","message":"boom","code":503}`, 503, "boom"]
  ])("may have an event that is an error, %s", (_, line, status, message) => {
    for (const stream of [line, `${event({ content: "Hel" })}\n\n${line}`]) {
      const { error } = decode(`${stream}\n\n`)
      assert.deepStrictEqual([error?.status, error?.message], [status, message])
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

  it.each([
    [{ errors: [{ message: "Rate limit reached" }] }, "rate_limited"],
    [{ errors: ["The server is busy"] }, "overloaded"],
    [{ msg: "Too many requests", code: 429 }, "rate_limited"],
    [{ error_msg: "Open api qps request limit reached", error_code: 18 }, "rate_limited"],
    [{ base_resp: { status_code: 1002, status_msg: "rate limit" }, choices: null }, "rate_limited"],
    [{ base_resp: { status_code: 1008, status_msg: "insufficient balance" } }, "out_of_credit"],
    [{ detail: "Not authenticated" }, "bad_key"],
    [{ detail: "The model is loading" }, "loading"],
    [{ success: false, message: "rate limit exceeded" }, "rate_limited"],
    [{ success: false, code: 503, message: "x" }, "overloaded"],
    [{ status: "error", message: "Unauthorized" }, "bad_key"],
    ["<html><head><title>x.example | 522: Connection timed out</title></head></html>", "timeout"],
    ["<html><title>Error 1015</title><p>You are being rate limited</p></html>", "rate_limited"],
    ["<html><title>503 Service Temporarily Unavailable</title></html>", "overloaded"],
    ["<html><h1>Error 401</h1></html>", "bad_key"],
    ["upstream connect error or disconnect/reset before headers", "server_error"]
  ])("in a 200 means what it says: %j", (body, failure) => {
    const { error } = decode(body)
    assert.strictEqual(error === null ? null : fromServer(error, null).failure, failure)
  })

  it.each([
    ["of a page that is none", "<html><title>Welcome</title></html>"],
    ["in a completion with a message beside it", { ...completionOf("Hello!"), code: 0, msg: "success" }],
    [
      "in a completion whose base is well",
      { ...completionOf("Hello!"), base_resp: { status_code: 0, status_msg: "ok" } }
    ]
  ])("is not assumed %s", (_, body) => assert.isNull(decode(body).error))

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
