import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { shownInHealth } from "#src/health/ModelCondition.ts"
import { type Asked, type Canned, completionOf, replyOf } from "#test/support/model/cannedServer.ts"
import { writerOn } from "#test/support/model/writers.ts"
import { until } from "#test/support/until.ts"

const formatOf = ({ response_format }: Asked) => response_format?.type ?? "text"
const refused = (message: string, status = 400) => ({ status, body: { error: { message } } })
const charsOf = ({ messages }: Asked) => messages.reduce((sum, { content }) => sum + content.length, 0)

const logging = () => {
  const lines: Array<string> = []
  return { lines, layer: Logger.layer([Logger.make(({ message }) => void lines.push(JSON.stringify(message)))]) }
}

describe("a format that a server refuses with 500", () => {
  it.live("is left out at once, and from then on", () =>
    Effect.gen(function* () {
      const { server, write } = yield* writerOn((asked) =>
        formatOf(asked) === "json_schema"
          ? refused('response_format type must be one of "text" or "json_object"', 500)
          : { body: completionOf(replyOf("Hello!")) }
      )
      assert.deepStrictEqual((yield* write).reply.bubbles, ["Hello!"])
      yield* write
      assert.deepStrictEqual(server.requests.map(formatOf), [
        "json_schema",
        "json_schema",
        "json_object",
        "json_object"
      ])
    }).pipe(Effect.scoped)
  )
})

describe("a format that a server refuses without a word about it", () => {
  const REFUSALS: ReadonlyArray<readonly [string, Canned]> = [
    ["a 500 without a reason", refused("Internal server error", 500)],
    ["a 500 without a body", { status: 500, body: "" }],
    ["a 501", refused("Not implemented", 501)],
    ["a 400 in words of its own", refused("Ungültige Anfrage")],
    ["a list of details", { status: 422, body: { detail: [{ loc: ["body"], msg: "extra" }] } }],
    ["an error without words in a 200", { body: { error: { message: "error" } } }]
  ]
  it.live.each(REFUSALS)("is left out at last, and from then on: %s", ([, refusal]) =>
    Effect.gen(function* () {
      const { server, write } = yield* writerOn((asked) =>
        formatOf(asked) === "text" ? { body: completionOf(replyOf("Hello!")) } : refusal
      )
      assert.deepStrictEqual((yield* write).reply.bubbles, ["Hello!"])
      const before = server.requests.length
      yield* write
      assert.deepStrictEqual(server.requests.slice(before).map(formatOf), ["text"])
    }).pipe(Effect.scoped)
  )

  it.live("is an outage if the server fails without the format too, or has taken it before", () =>
    Effect.gen(function* () {
      let isDown = true
      const { server, write } = yield* writerOn(() =>
        isDown ? refused("Internal server error", 500) : { body: completionOf(replyOf("Hello!")) }
      )
      const error = yield* Effect.flip(write)
      assert.deepStrictEqual([error.failure, error.code], ["server_error", "http_500"])
      assert.strictEqual(server.requests.map(formatOf).at(-1), "text")
      isDown = false
      yield* write
      assert.strictEqual(server.requests.at(-1)?.response_format?.type, "json_schema")
      isDown = true
      const before = server.requests.length
      assert.strictEqual((yield* Effect.flip(write)).failure, "server_error")
      assert.isTrue(server.requests.slice(before).every((asked) => formatOf(asked) === "json_schema"))
    }).pipe(Effect.scoped)
  )
})

describe("a model that answers every format with prose", () => {
  it.live("is asked in plain text, the first time as well, and after three replies at once", () =>
    Effect.gen(function* () {
      const { server, write } = yield* writerOn(() => ({ body: completionOf("Hello you.") }))
      const { lines, layer } = logging()
      for (let turn = 0; turn < 4; turn++) {
        const { reply, notes } = yield* Effect.provide(write, layer)
        assert.deepStrictEqual(reply.bubbles, ["Hello you."])
        assert.strictEqual(
          notes.some((note) => note.includes("plain text")),
          turn < 3
        )
      }
      assert.lengthOf(server.requests, 10)
      assert.notInclude(JSON.stringify(server.requests.at(-1)?.messages), "JSON object")
      assert.lengthOf(
        lines.filter((line) => line.includes("OPENAI_JSON=none")),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.live("is never quoted where JSON was requested", () =>
    Effect.gen(function* () {
      const { write } = yield* writerOn((_, index) =>
        index < 2 ? { body: completionOf("Sure! Here is what she would say.") } : { body: completionOf("Hello.") }
      )
      assert.deepStrictEqual((yield* write).reply.bubbles, ["Hello."])
    }).pipe(Effect.scoped)
  )
})

describe("what a server is known to refuse", () => {
  it.live("is learned from an answer that worked, and is left out afterwards", () =>
    Effect.gen(function* () {
      const { server, writePlain } = yield* writerOn(
        (asked) =>
          asked.max_tokens !== undefined
            ? refused("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
            : asked.temperature !== undefined
              ? refused("Unsupported value: 'temperature' does not support 0.7 with this model.")
              : { body: completionOf("Hello!") },
        { sampling: { temperature: 0.7 } }
      )
      yield* writePlain
      assert.lengthOf(server.requests, 3)
      yield* writePlain
      assert.lengthOf(server.requests, 4)
    }).pipe(Effect.scoped)
  )

  it.live("is nothing that one long conversation was refused for", () =>
    Effect.gen(function* () {
      const overflow = refused("max_tokens must be at least 1, got -186.")
      const { server, writePlain } = yield* writerOn((_, index) =>
        index === 0 ? overflow : { body: completionOf("Hello!") }
      )
      assert.strictEqual((yield* Effect.flip(writePlain)).failure, "context_overflow")
      yield* writePlain
      assert.deepStrictEqual(
        server.requests.map(({ max_tokens, max_completion_tokens }) => [
          max_tokens !== undefined,
          max_completion_tokens !== undefined
        ]),
        [
          [true, false],
          [true, false]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("is tried again after an hour", () =>
    Effect.gen(function* () {
      const { server, write } = yield* writerOn((asked) =>
        formatOf(asked) === "text" ? { body: completionOf(replyOf("Hello!")) } : refused("response_format: unknown")
      )
      yield* write
      assert.lengthOf(server.requests, 4)
      yield* TestClock.adjust("59 minutes")
      yield* write
      assert.lengthOf(server.requests, 5)
      yield* TestClock.adjust("1 minutes")
      yield* write
      assert.lengthOf(server.requests, 9)
    }).pipe(Effect.scoped)
  )
})

describe("a conversation that does not fit into the context", () => {
  const history = Array.from({ length: 16 }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("character" as const),
    text: `${index} ${"word ".repeat(300)}`,
    cursor: index + 1,
    at: new Date(0)
  }))
  const MARK = /(?:^|\s)(\d{1,2}) word/g

  it.live("is answered with less history, oldest first, and the trace says so", () =>
    Effect.gen(function* () {
      let most = 0
      const { server, ask } = yield* writerOn((asked, index) =>
        charsOf(asked) > (most = index === 0 ? charsOf(asked) * 0.7 : most)
          ? refused(`This model's maximum context length is 5000 tokens. However, you requested ${charsOf(asked)}.`)
          : { body: completionOf("Hello!") }
      )
      const { reply, notes } = yield* ask("hi", { request: { history } })
      assert.deepStrictEqual(reply.bubbles, ["Hello!"])
      assert.match(notes.join(), /^history shortened by \d+ messages/)
      const last = server.requests.at(-1)?.messages ?? []
      assert.strictEqual(last[0]?.role, "system")
      assert.strictEqual(last[1]?.role, "user")
      const kept = [...JSON.stringify(last).matchAll(MARK)].map(([, mark]) => Number(mark))
      assert.isBelow(kept.length, history.length)
      assert.deepStrictEqual(kept, history.map((_, index) => index).slice(history.length - kept.length))
      const { notes: others } = yield* ask("hi")
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.scoped)
  )
})

describe("an answer that is cut at the token limit", () => {
  it.live("gets more room once, and the trace and the log name the setting", () =>
    Effect.gen(function* () {
      const { lines, layer } = logging()
      const whole = replyOf("All is quiet here.")
      const { server, write } = yield* writerOn((asked) =>
        (asked.max_tokens ?? 0) < 1_500
          ? { body: completionOf(whole.slice(0, 50), "length") }
          : { body: completionOf(whole) }
      )
      const { reply, notes } = yield* Effect.provide(write, layer)
      assert.deepStrictEqual(reply.bubbles, ["All is quiet here."])
      assert.deepStrictEqual(
        server.requests.map(({ max_tokens }) => max_tokens),
        [1_000, 2_000]
      )
      assert.match(notes.join(), /cut at the token limit: OPENAI_MAX_TOKENS/)
      const line = lines.find((line) => line.includes("cut at the token limit"))
      assert.include(line, "OPENAI_MAX_TOKENS")
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["ends at its last whole sentence", "I went down. There I", ["I went down."]],
    ["is a failure of that name without one", "There I", null]
  ] as const)("%s if the server refuses more room in words of its own", ([, text, bubbles]) =>
    Effect.gen(function* () {
      const { write } = yield* writerOn((asked) =>
        (asked.max_tokens ?? 0) < 1_500
          ? { body: completionOf(replyOf(text).split('"]')[0], "length") }
          : refused("Das ist zu viel", 418)
      )
      if (bubbles !== null) return assert.deepStrictEqual((yield* write).reply.bubbles, bubbles)
      const error = yield* Effect.flip(write)
      assert.deepStrictEqual([error.failure, error.code], ["cut", "truncated_json"])
    }).pipe(Effect.scoped)
  )

  it.live("is a failure of that name if there is never enough room", () =>
    Effect.gen(function* () {
      const { write, writePlain } = yield* writerOn(() => ({ body: completionOf("No end in sight", "length") }))
      for (const written of [write, writePlain]) {
        const error = yield* Effect.flip(written)
        assert.deepStrictEqual([error.failure, error.code], ["cut", "truncated_json"])
        assert.match(error.notes?.join() ?? "", /OPENAI_MAX_TOKENS/)
      }
    }).pipe(Effect.scoped)
  )
})

describe("a failure that lasts", () => {
  it.live.each([
    ["the credit is used up", { status: 402, body: {} }, "out_of_credit"],
    ["the credit is used up, in a 200", { body: { error: { code: 402, message: "Pay" } } }, "out_of_credit"],
    ["the key is wrong", { status: 401, body: {} }, "bad_key"]
  ] as const)("is asked for once if %s, and logged by its name", ([name, canned, failure]) =>
    Effect.gen(function* () {
      const { lines, layer } = logging()
      const { server, writePlain } = yield* writerOn(() => canned, { model: `model: ${name}` })
      const error = yield* Effect.provide(Effect.flip(writePlain), layer)
      assert.deepStrictEqual([error.failure, error.isLasting, server.requests.length], [failure, true, 1])
      assert.lengthOf(
        lines.filter((line) => line.includes(failure) && line.includes("dependency failing")),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["an error object", { error: { message: "Provider returned error", code: 502 } }],
    ["no choices", { choices: [] }],
    ["nothing", ""]
  ])("is not assumed from %s in a 200", ([, body]) =>
    Effect.gen(function* () {
      const { server, writePlain } = yield* writerOn((_, index) =>
        index < 2 ? { body } : { body: completionOf("Hello!") }
      )
      assert.deepStrictEqual((yield* writePlain).reply.bubbles, ["Hello!"])
      assert.lengthOf(server.requests, 3)
    }).pipe(Effect.scoped)
  )
})

describe("a model that loads slowly", () => {
  it.effect("is left one open call after two without an answer, and is asked as usual once it is loaded", () =>
    Effect.gen(function* () {
      const { lines, layer } = logging()
      const model = "slow-loader"
      let isLoaded = false
      const { server, writePlain } = yield* writerOn(() => (isLoaded ? { body: completionOf("Hello!") } : null), {
        model
      })
      const arrived = (count: number) =>
        Effect.promise(() => until(`request ${count}`, () => server.requests.length >= count))
      for (let turn = 1; turn <= 2; turn++) {
        const failed = yield* Effect.forkChild(Effect.provide(Effect.flip(writePlain), layer), {
          startImmediately: true
        })
        yield* arrived(turn)
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual((yield* Fiber.join(failed)).failure, "timeout")
      }
      yield* arrived(3)
      assert.deepInclude(shownInHealth()?.figures(0), { model, state: "loading", reason: "loading" })
      const line = lines.find((line) => line.includes("model still loading"))
      assert.include(line, "OPENAI_TIMEOUT_SECONDS")
      isLoaded = true
      assert.deepStrictEqual((yield* writePlain).reply.bubbles, ["Hello!"])
      assert.deepInclude(shownInHealth()?.figures(0), { state: "working", reason: null })
    }).pipe(Effect.scoped)
  )
})
