import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { Usage } from "#pipeline/domain/Turn.ts"
import { type Reply, Writer } from "#pipeline/generation/Writer.ts"
import { SpendingLimit } from "#pipeline/SpendingLimit.ts"
import { layer, type OpenAiEngineOptions } from "#src/model/openai/OpenAiEngine.ts"
import { LIST_PRICES, tokensIn } from "#src/model/prices.ts"
import { type Behaviour, FAKE_USAGE, type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { PROVIDER_SECRET } from "#test/support/model/providerSecret.ts"
import { requestOf } from "#test/support/conversation/requests.ts"

const KEY = "sk-test-key"
const MODEL = "gpt-5-mini"

/** A writer on a new fake server that it has not called yet. */
const harness = Effect.fnUntraced(function* (
  script: ReadonlyArray<Behaviour>,
  options: Partial<OpenAiEngineOptions> = {}
) {
  const fake = yield* Effect.acquireRelease(
    Effect.promise(() => start()),
    (fake) => Effect.promise(() => fake.close())
  )
  fake.script(...script)
  const writerLayer = layer({
    apiKey: Redacted.make(KEY),
    baseUrl: fake.url,
    model: MODEL,
    analyzeModel: "gpt-5-nano",
    callTimeout: "20 seconds",
    backoff: "1 millis",
    ...options
  })
  const writer = yield* Effect.provide(Writer, writerLayer)
  return {
    fake,
    ask: writer.write,
    /** A turn with something to decide, so that JSON is requested. */
    write: writer.write(requestOf("hello", { request: { decisions: ["reply", "withhold"] } })),
    writePlain: writer.write(requestOf("hello")),
    formats: () => fake.requests.map((request) => request.format)
  }
})

/** The usage of this many calls, as the fake reports it. */
const usageOf = (calls: number) => {
  const tokens = { inputTokens: 1_000 * calls, cachedInputTokens: 400 * calls, outputTokens: 50 * calls }
  return { model: MODEL, ...tokens, estimated: false, costMicroUsd: LIST_PRICES.costMicroUsd(MODEL, tokens) }
}

/** The estimate for a call that was read and never answered. */
const readOnly = ({ requests: [request] }: FakeModel): Usage => {
  const tokens = {
    inputTokens: tokensIn(request?.messages.reduce((sum, { content }) => sum + content.length, 0) ?? 0),
    cachedInputTokens: 0,
    outputTokens: 0
  }
  return { model: MODEL, ...tokens, estimated: true, costMicroUsd: LIST_PRICES.costMicroUsd(MODEL, tokens) }
}

const GOOD: Reply = { decision: "reply", exit_reason: null, bubbles: ["hello from the fake"], cited_memory_ids: [] }

describe("a reply", () => {
  it.live("comes from one call that requests the strict schema", () =>
    Effect.gen(function* () {
      const { fake, write, formats } = yield* harness([])
      assert.deepStrictEqual(yield* write, { reply: GOOD, usage: usageOf(1) })
      assert.deepStrictEqual(formats(), ["strict_schema"])
      assert.strictEqual(fake.requests[0]?.authorization, `Bearer ${KEY}`)
      assert.strictEqual(fake.requests[0]?.model, MODEL)
    })
  )

  it.live.each([
    ["truncated", { kind: "truncated_json" }],
    ["of the wrong schema", { kind: "wrong_schema" }],
    ["empty", { kind: "plain_text", text: "" }],
    ["only unfinished thinking", { kind: "plain_text", text: "<think>the person wants" }]
  ] as const)("is repaired by one more call if it is %s, and both calls are paid for", ([, fault]) =>
    Effect.gen(function* () {
      const { fake, write } = yield* harness([fault])
      assert.deepStrictEqual(yield* write, { reply: GOOD, usage: usageOf(2) })
      assert.deepStrictEqual(
        fake.requests[1]?.messages.map((message) => message.role),
        ["system", "user", "assistant", "user"]
      )
      assert.include(fake.requests[1]?.messages[3]?.content, '<data name="problem">')
    })
  )

  it.live.each([
    ["after a pause that the server asked for", { kind: "rate_limited" }],
    ["after an error of the server", { kind: "server_error" }],
    ["after a lost connection", { kind: "reset" }]
  ] as const)("is requested again %s", ([, fault]) =>
    Effect.gen(function* () {
      const { fake, write } = yield* harness([fault, fault])
      assert.deepStrictEqual(yield* write, { reply: GOOD, usage: usageOf(1) })
      assert.lengthOf(fake.requests, 3)
    })
  )

  it.live("has an estimated usage if the server returns none, even for only one call", () =>
    Effect.gen(function* () {
      const { fake, write } = yield* harness([
        { kind: "missing_usage" },
        { kind: "wrong_schema" },
        { kind: "missing_usage" }
      ])
      const { usage } = yield* write
      const sent = fake.requests[0]?.messages.reduce((sum, message) => sum + message.content.length, 0) ?? 0
      assert.isTrue(usage.estimated)
      assert.strictEqual(usage.inputTokens, Math.ceil(sent / 4))
      assert.strictEqual(usage.outputTokens, Math.ceil(JSON.stringify(GOOD).length / 4))
      const mixed = (yield* write).usage
      assert.isTrue(mixed.estimated)
      assert.isAbove(mixed.inputTokens, 1_000)
    })
  )

  for (const tokens of [1e15, -1, 0.5, "12"]) {
    it.live(`has an estimated usage when the server reports ${JSON.stringify(tokens)} tokens`, () =>
      Effect.gen(function* () {
        const { write } = yield* harness([
          { kind: "reports_usage", usage: { prompt_tokens: tokens, completion_tokens: 1 } }
        ])
        const { usage } = yield* write
        assert.isTrue(usage.estimated)
        assert.isBelow(usage.inputTokens, 10_000)
      })
    )
  }

  it.live("is reported before a repair is requested, and only then", () =>
    Effect.gen(function* () {
      const told: Array<readonly [number, Usage]> = []
      const { fake, ask } = yield* harness([{ kind: "wrong_schema" }, { kind: "ok" }, { kind: "ok" }])
      const onSpent = (usage: Usage) =>
        Effect.sync(() => {
          told.push([fake.requests.length, usage])
        })
      const { usage } = yield* ask(requestOf("hello", { request: { onSpent, decisions: ["reply", "withhold"] } }))
      yield* ask(requestOf("hello", { request: { onSpent, decisions: ["reply", "withhold"] } }))
      assert.deepStrictEqual(told, [[1, usageOf(1)]])
      assert.deepStrictEqual(usage, usageOf(2))
    })
  )
})

describe("a server without structured output", () => {
  it.live("is asked in text mode, and directly so from the second turn", () =>
    Effect.gen(function* () {
      const { write, formats } = yield* harness(Array.from({ length: 5 }, () => ({ kind: "rejects_format" as const })))
      assert.deepStrictEqual(yield* write, { reply: GOOD, usage: usageOf(1) })
      assert.deepStrictEqual(yield* write, { reply: GOOD, usage: usageOf(1) })
      assert.deepStrictEqual(formats(), ["strict_schema", "json_schema", "json_object", "text", "text"])
    })
  )

  it.live.each([
    [
      "in the words of a validator",
      {
        kind: "status",
        status: 422,
        body: { detail: [{ loc: ["body", "response_format", "type"], msg: "unexpected value" }] }
      }
    ],
    ["without an explanation", { kind: "status", status: 400, body: undefined }]
  ] as const)("may refuse the format %s", ([, fault]) =>
    Effect.gen(function* () {
      const { write, formats } = yield* harness([fault])
      assert.deepStrictEqual((yield* write).reply, GOOD)
      assert.deepStrictEqual(formats(), ["strict_schema", "json_schema"])
    })
  )

  it.live(
    "that supports schemas but no strict ones, or JSON but no schemas, is called in the best mode that it has",
    () =>
      Effect.gen(function* () {
        const { write, formats } = yield* harness([])
        const { write: loose, formats: looseFormats } = yield* harness([
          { kind: "rejects_format" },
          { kind: "rejects_format" }
        ])
        yield* write
        yield* loose
        yield* loose
        assert.deepStrictEqual(formats(), ["strict_schema"])
        assert.deepStrictEqual(looseFormats(), ["strict_schema", "json_schema", "json_object", "json_object"])
      })
  )

  it.live("that once answers without JSON is asked again for it, and the mode stays the same", () =>
    Effect.gen(function* () {
      const { write, formats } = yield* harness([{ kind: "plain_text", text: "Hello you. As an editor I would say:" }])
      assert.deepStrictEqual(yield* write, { reply: GOOD, usage: usageOf(2) })
      yield* write
      assert.deepStrictEqual(formats(), ["strict_schema", "strict_schema", "strict_schema"])
    })
  )

  it.live("never has its prose used as a reply where JSON was requested, and is asked for plain text instead", () =>
    Effect.gen(function* () {
      const prose: Behaviour = { kind: "plain_text", text: "Sure! Here is what she would say." }
      const { write } = yield* harness([prose, prose], { json: "schema" })
      assert.strictEqual((yield* Effect.flip(write)).code, "no_json")
      const { fake, write: writeAnyhow } = yield* harness([prose, prose, { kind: "plain_text", text: "Hello." }])
      assert.deepStrictEqual((yield* writeAnyhow).reply.bubbles, ["Hello."])
      assert.notInclude(JSON.stringify(fake.requests[2]?.messages), "JSON object")
    })
  )

  it.live(
    "is downgraded after three answers in a row without JSON, and after ten minutes tried in the best mode again",
    () =>
      Effect.gen(function* () {
        const prose: Behaviour = { kind: "plain_text", text: "Hello." }
        const clock = yield* Clock.Clock
        let aheadMs = 0
        const moved: Clock.Clock = {
          currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() + aheadMs,
          currentTimeMillis: Effect.suspend(() => Effect.map(clock.currentTimeMillis, (now) => now + aheadMs)),
          currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
          currentTimeNanos: clock.currentTimeNanos,
          monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
          monotonicTimeNanos: clock.monotonicTimeNanos,
          sleep: (duration) => clock.sleep(duration)
        }
        const { write, formats } = yield* harness([prose, { kind: "ok" }, prose, { kind: "ok" }, prose, { kind: "ok" }])
        for (let turn = 0; turn < 4; turn++) yield* Effect.provideService(write, Clock.Clock, moved)
        aheadMs = 11 * 60_000
        yield* Effect.provideService(write, Clock.Clock, moved)
        assert.deepStrictEqual(formats(), [
          ...Array.from({ length: 5 }, () => "strict_schema"),
          "json_schema",
          "json_schema",
          "strict_schema"
        ])
      })
  )

  it.live.each([
    ["schema", "strict_schema"],
    ["object", "json_object"],
    ["none", "text"]
  ] as const)("is called as OPENAI_JSON says: %s", ([json, format]) =>
    Effect.gen(function* () {
      const { write, formats } = yield* harness([{ kind: "ok" }, { kind: "ok" }], { json })
      assert.deepStrictEqual((yield* write).reply, GOOD)
      yield* write
      assert.deepStrictEqual(formats(), [format, format])
    })
  )

  it.live("is asked for plain text in a conversation without decisions, and code finds the citations", () =>
    Effect.gen(function* () {
      const { fake, ask } = yield* harness([
        { kind: "plain_text", text: "<think>hm</think>\nHello you.\n\nDid the sailing boat get its new mast?\n" }
      ])
      const said = (role: "user" | "character", text: string, cursor: number) => ({
        role,
        text,
        cursor,
        at: new Date(0)
      })
      const history = [
        said("character", "Hm?", 1),
        said("user", "The mast of my sailing boat broke.", 2),
        said("user", "Bad day.", 3),
        said("character", "Oh no.", 4)
      ]
      const { reply } = yield* ask(requestOf("hello", { request: { history } }))
      assert.deepStrictEqual(reply, {
        ...GOOD,
        bubbles: ["Hello you.", "Did the sailing boat get its new mast?"],
        cited_memory_ids: ["cursor-2"]
      })
      assert.deepStrictEqual(
        fake.requests[0]?.messages.map(({ role }) => role),
        ["system", "user", "assistant", "user", "assistant", "user"]
      )
      assert.notInclude(JSON.stringify(fake.requests[0]?.messages), "JSON object")
    })
  )

  it.live("is asked for JSON in every turn if OPENAI_JSON names a format", () =>
    Effect.gen(function* () {
      const { writePlain, formats } = yield* harness([], { json: "schema" })
      assert.deepStrictEqual((yield* writePlain).reply, GOOD)
      assert.deepStrictEqual(formats(), ["strict_schema"])
    })
  )

  it.live("whose plain text reaches the length limit is quoted up to its last whole sentence", () =>
    Effect.gen(function* () {
      const { writePlain } = yield* harness([{ kind: "cut_text", text: "The lamp is lit. The kettle is o" }])
      assert.deepStrictEqual((yield* writePlain).reply.bubbles, ["The lamp is lit."])
    })
  )

  it.live("has the JSON that it writes in plain mode parsed, and broken JSON is shown to nobody", () =>
    Effect.gen(function* () {
      const { writePlain } = yield* harness(
        [
          { kind: "ok" },
          { kind: "plain_text", text: '{"decision":"reply","bubbles":["hel' },
          { kind: "plain_text", text: "Hello." }
        ],
        { json: "none" }
      )
      assert.deepStrictEqual((yield* writePlain).reply, GOOD)
      assert.deepStrictEqual((yield* writePlain).reply.bubbles, ["Hello."])
    })
  )

  it.live.each(['"Hello."', "```\nHello.\n```", "[Ann]: Hello."])(
    "that writes something around plain text has answered in plain text: %j",
    (text) =>
      Effect.gen(function* () {
        const { writePlain } = yield* harness([{ kind: "plain_text", text }], { json: "none" })
        assert.deepStrictEqual((yield* writePlain).reply.bubbles, [text])
      })
  )

  it.live("that never writes JSON is named in the log once, with the setting for such models", () =>
    Effect.gen(function* () {
      const prose: Behaviour = { kind: "plain_text", text: "Hello." }
      const { write } = yield* harness(Array.from({ length: 40 }, () => prose))
      const logged: Array<string> = []
      const noting = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
      for (let turn = 0; turn < 14; turn++)
        assert.deepStrictEqual((yield* Effect.provide(write, noting)).reply.bubbles, ["Hello."])
      assert.lengthOf(logged, 1)
      assert.include(logged[0], "OPENAI_JSON=none")
    })
  )

  it.live("is asked for JSON if a decision is required", () =>
    Effect.gen(function* () {
      const { fake, ask } = yield* harness([], { json: "none" })
      yield* ask(requestOf("hello", { request: { decisions: ["reply", "withhold"] } }))
      assert.deepStrictEqual(
        fake.requests[0]?.messages.map(({ role }) => role),
        ["system", "user"]
      )
      assert.include(fake.requests[0]?.messages.at(-1)?.content, "one JSON object")
    })
  )

  it.live("may wrap the object in other text", () =>
    Effect.gen(function* () {
      const object = JSON.stringify({ ...GOOD, bubbles: ['a } " { b'] })
      const text = `Sure {smile}:\n\`\`\`json\n${object}\n\`\`\`\nAnything else?`
      const { fake, write } = yield* harness([{ kind: "plain_text", text }])
      assert.deepStrictEqual((yield* write).reply.bubbles, ['a } " { b'])
      assert.lengthOf(fake.requests, 1)
    })
  )

  it.live("is not assumed if the request was refused for another reason", () =>
    Effect.gen(function* () {
      const body = { error: { message: "maximum context length exceeded", code: "context_length_exceeded" } }
      const { write, formats } = yield* harness([{ kind: "status", status: 400, body }])
      const error = yield* Effect.flip(write)
      assert.deepStrictEqual([error.reason, error.code, error.usage], ["refused", "http_400", null])
      yield* write
      assert.deepStrictEqual(formats(), ["strict_schema", "strict_schema"])
    })
  )

  it.live("is not remembered if the text request is refused as well", () =>
    Effect.gen(function* () {
      const refused: Behaviour = { kind: "status", status: 404, body: undefined }
      const { write, formats } = yield* harness([refused, refused, refused, refused])
      assert.strictEqual((yield* Effect.flip(write)).code, "http_404")
      yield* write
      assert.deepStrictEqual(formats(), ["strict_schema", "json_schema", "json_object", "text", "strict_schema"])
    })
  )
})

describe("a missing reply", () => {
  it.live.each([
    ["refused as a refusal, with its cost", [{ kind: "refusal" }], "refused", "refusal", 1, 1],
    ["refused when the repair is refused", [{ kind: "wrong_schema" }, { kind: "refusal" }], "refused", "refusal", 2, 2],
    [
      "refused when the repair is as wrong",
      [{ kind: "wrong_schema" }, { kind: "wrong_schema" }],
      "refused",
      "schema_mismatch",
      2,
      2
    ],
    [
      "refused when the repair is cut off as well",
      [{ kind: "truncated_json" }, { kind: "truncated_json" }],
      "refused",
      "truncated_json",
      2,
      2
    ],
    [
      "refused when the repair is only talk",
      [{ kind: "wrong_schema" }, { kind: "plain_text", text: "Sorry about that!" }],
      "refused",
      "no_json",
      2,
      2
    ],
    [
      "refused when the key is wrong",
      [{ kind: "status", status: 401, body: { error: { message: KEY } } }],
      "refused",
      "http_401",
      1,
      0
    ],
    [
      "refused when the answer is no completion",
      [{ kind: "status", status: 200, body: { hello: "world" } }],
      "refused",
      "bad_response",
      1,
      0
    ],
    [
      "refused when the answer has no choice, with the cost that it reports",
      [{ kind: "status", status: 200, body: { choices: [], usage: FAKE_USAGE } }],
      "refused",
      "bad_response",
      1,
      1
    ],
    [
      "unreachable when every retry is rate limited",
      [{ kind: "rate_limited" }, { kind: "rate_limited" }, { kind: "rate_limited" }],
      "unreachable",
      "http_429",
      3,
      0
    ],
    [
      "unreachable when every retry fails",
      [{ kind: "server_error" }, { kind: "server_error" }, { kind: "server_error" }],
      "unreachable",
      "http_500",
      3,
      0
    ],
    [
      "unreachable when every connection is lost",
      [{ kind: "reset" }, { kind: "reset" }, { kind: "reset" }],
      "unreachable",
      "connection",
      3,
      0
    ],
    [
      "unreachable without a retry when the pause asked for is too long",
      [{ kind: "rate_limited", retryAfter: "3600" }],
      "unreachable",
      "http_429",
      1,
      0
    ],
    [
      "unreachable without a retry when the quota is used up",
      [{ kind: "status", status: 429, body: { error: { code: "insufficient_quota" } } }],
      "unreachable",
      "quota_exhausted",
      1,
      0
    ],
    [
      "unreachable when the repair cannot be had, with what the first call cost",
      [{ kind: "wrong_schema" }, ...Array.from({ length: 3 }, () => ({ kind: "server_error" as const }))],
      "unreachable",
      "http_500",
      4,
      1
    ]
  ] satisfies ReadonlyArray<readonly [string, ReadonlyArray<Behaviour>, string, string, number, number]>)(
    "is %s",
    ([, script, reason, code, calls, paid]) =>
      Effect.gen(function* () {
        const { fake, write } = yield* harness(script)
        const error = yield* Effect.flip(write)
        assert.deepStrictEqual(
          [error.reason, error.code, error.usage],
          [reason, code, paid === 0 ? null : usageOf(paid)]
        )
        assert.lengthOf(fake.requests, calls)
        assert.notInclude(JSON.stringify(error) + String(error) + String(error.stack), PROVIDER_SECRET)
        assert.notInclude(JSON.stringify(error) + String(error) + String(error.stack), KEY)
      })
  )

  it.effect("is unreachable if the server stalls, after one call, with an estimated cost and a closed connection", () =>
    Effect.gen(function* () {
      const { fake, write } = yield* harness([{ kind: "stall" }])
      const failed = yield* Effect.forkChild(Effect.flip(write))
      yield* Effect.promise(() => fake.received(0))
      yield* TestClock.adjust("20 seconds")
      const error = yield* Fiber.join(failed)
      assert.deepStrictEqual([error.reason, error.code, error.usage], ["unreachable", "timeout", readOnly(fake)])
      yield* Effect.promise(() => fake.requests[0]?.closed ?? Promise.reject(new Error("no call")))
      assert.lengthOf(fake.requests, 1)
    })
  )

  it.live("is asked for again if it breaks off, within the limit, and each that began is paid for by an estimate", () =>
    Effect.gen(function* () {
      const cut = { kind: "cut_body" } as const
      const { fake, write } = yield* harness([cut, cut, cut, cut])
      const error = yield* Effect.flip(write)
      const one = readOnly(fake)
      assert.deepStrictEqual(
        [error.reason, error.code, error.usage?.inputTokens],
        ["unreachable", "cut_off", 3 * one.inputTokens]
      )
      assert.lengthOf(fake.requests, 3)
      // Enough for one call, and not for another beside what the first has cost.
      let spent = 0
      const limit = { covers: () => spent === 0, spend: (microUsd: number) => void (spent += microUsd) }
      const refused = yield* Effect.flip(
        Effect.provideService(write, SpendingLimit, { ...limit, keeping: () => assert.fail("nothing is kept") })
      )
      assert.strictEqual(refused.code, "over_budget")
      assert.lengthOf(fake.requests, 4)
    })
  )

  it.live.each([
    ["is huge", { kind: "plain_text", text: "a".repeat(20_000_000) }],
    ["never ends", { kind: "endless" }]
  ] as const)("is refused as soon as it is longer than any answer if it %s, with an estimated cost", ([, fault]) =>
    Effect.gen(function* () {
      const { fake, write } = yield* harness([fault])
      const error = yield* Effect.flip(write)
      assert.deepStrictEqual([error.reason, error.code, error.usage], ["refused", "bad_response", readOnly(fake)])
      yield* Effect.promise(() => fake.requests[0]?.closed ?? Promise.reject(new Error("no call")))
      assert.lengthOf(fake.requests, 1)
    })
  )

  it.live.each([
    ["as text", { kind: "plain_text", text: "漢".repeat(100_000) }],
    ["as one bubble", { kind: "ok", bubbles: ["漢".repeat(100_000)] }],
    ["as many bubbles", { kind: "ok", bubbles: Array<string>(20_000).fill("ha") }],
    ["as text whose limit falls within an emoji", { kind: "plain_text", text: `a${"🙂".repeat(50_000)}` }],
    ["as one bubble whose limit falls within an emoji", { kind: "ok", bubbles: [`a${"🙂".repeat(50_000)}`] }]
  ] as const)("is cut to what the gate for the length still refuses if it is too long, %s", ([, fault]) =>
    Effect.gen(function* () {
      const { writePlain } = yield* harness([fault])
      const { reply } = yield* writePlain
      const length = reply.bubbles.join("\n").length
      assert.isAbove(length, 15_000)
      assert.isAtMost(length, 16_000)
      assert.isTrue(reply.bubbles.every((bubble) => bubble.isWellFormed()))
    })
  )

  it.live("is no longer waited for when the turn is interrupted, which reports an estimated cost", () =>
    Effect.gen(function* () {
      const { fake, ask } = yield* harness([{ kind: "stall" }])
      const told: Array<Usage> = []
      const fiber = yield* Effect.forkChild(
        ask(
          requestOf("hello", {
            request: {
              onSpent: (usage) =>
                Effect.sync(() => {
                  told.push(usage)
                })
            }
          })
        ),
        { startImmediately: true }
      )
      const request = yield* Effect.promise(() => fake.received(0))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => request.closed)
      assert.deepStrictEqual(told, [readOnly(fake)])
    })
  )
})
