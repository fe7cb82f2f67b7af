import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { LIST_PRICES } from "#src/model/prices.ts"
import { type Behaviour, type FakeModel, start } from "#test/support/model/FakeModel.ts"
import { PROVIDER_SECRET } from "#test/support/model/providerSecret.ts"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

/**
 * In fast mode a turn outlasts all retries of its calls, so that a call ends it. In deep mode it is cut off by its
 * deadline, which comes just before a second call could time out by itself. All of them are long beside the moments in
 * which a busy machine runs nothing of this process.
 */
const ENV = { OPENAI_TIMEOUT_SECONDS: "2", TURN_DEADLINE_FAST_SECONDS: "60", TURN_DEADLINE_DEEP_SECONDS: "3.8" }

let model: FakeModel
let server: TestServer
let app: TestApp
let otherwise: Behaviour = { kind: "ok" }
beforeAll(async () => {
  model = await start({ otherwise: () => otherwise })
  server = await startTestServer({
    env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini", OPENAI_ANALYZE_MODEL: "gpt-5-nano", ...ENV }
  })
  app = await server.createApp()
})
afterEach(() => {
  otherwise = { kind: "ok" }
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const trace = async (session: string, event: LogEvent) =>
  (await app.get(`/v1/sessions/${session}/trace?run_ref=${event.trace_id}`)).body.data.trace[0]
const generations = (row: { stages: ReadonlyArray<{ stage: string; status: string; error_code: string | null }> }) =>
  row.stages.filter((stage) => stage.stage === "generation")

/** One fault, then a working model: the turn ends with a reply. */
const survived: ReadonlyArray<readonly [string, ReadonlyArray<Behaviour>, string]> = [
  ["429", [{ kind: "rate_limited" }], "hello from the fake"],
  ["500", [{ kind: "server_error" }], "hello from the fake"],
  ["a reset connection", [{ kind: "reset" }], "hello from the fake"],
  ["a stall", [{ kind: "stall" }], "hello from the fake"],
  ["truncated JSON", [{ kind: "truncated_json" }], "hello from the fake"],
  ["the wrong schema", [{ kind: "wrong_schema" }], "hello from the fake"],
  ["a refusal", [{ kind: "refusal" }], "hello from the fake"],
  ["missing usage", [{ kind: "missing_usage", bubbles: ["counted by length"] }], "counted by length"],
  ["a server that does not support response_format", [{ kind: "rejects_format" }], "hello from the fake"],
  ["plain text", [{ kind: "plain_text", text: "just words" }], "just words"]
]

/** A model that never works: the turn ends as failed, without details. */
const fatal: ReadonlyArray<readonly [string, Behaviour, string]> = [
  ["429", { kind: "rate_limited" }, "http_429"],
  ["500", { kind: "server_error" }, "http_500"],
  ["a stall", { kind: "stall" }, "timeout"],
  ["truncated JSON", { kind: "truncated_json" }, "truncated_json"],
  ["the wrong schema", { kind: "wrong_schema" }, "schema_mismatch"],
  ["a refusal", { kind: "refusal" }, "refusal"]
]

describe("a reply by a model behind an HTTP address", () => {
  it.each(survived)("succeeds despite %s", async (_, faults, text) => {
    const session = await app.createSession()
    model.script(...faults)
    const event = await app.converse(session, "hello")
    assert.strictEqual(event.type, "message.created")
    assert.strictEqual(event.payload["text"], text)
    const row = await trace(session, event)
    assert.strictEqual(row.outcome, "replied")
    assert.isAbove(row.tokens.input, 0)
    assert.isAbove(row.cost_usd, 0)
  })

  it.each(fatal)(
    "fails properly if the model only ever answers with %s, and the next message is answered",
    async (_, fault, code) => {
      const session = await app.createSession()
      otherwise = fault
      const failed = await app.converse(session, "hello")
      assert.strictEqual(failed.type, "message.failed")
      assert.strictEqual(failed.role, "system")
      assert.deepStrictEqual(failed.payload, {
        turn_index: 1,
        reason: code === "timeout" ? "timed_out" : "generation_failed",
        recoverable: true
      })
      const row = await trace(session, failed)
      assert.deepStrictEqual(
        generations(row).map((stage) => [stage.status, stage.error_code]),
        [
          ["error", code],
          ["error", code]
        ]
      )
      assert.notInclude(JSON.stringify([failed, row]), PROVIDER_SECRET)

      otherwise = { kind: "ok" }
      assert.strictEqual((await app.converse(session, "hello again")).type, "message.created")
    }
  )

  it.each([
    ["refused", { kind: "server_error" }, 3, "http_500"],
    ["unusable", { kind: "wrong_schema" }, 2, "schema_mismatch"],
    ["stalled", { kind: "stall" }, 1, "timeout"]
  ] as const)("uses the rules alone if the analysis is %s", async (_, fault, calls, code) => {
    const session = await app.createSession()
    model.scriptFor("analysis", ...Array.from({ length: calls }, () => fault))
    const event = await app.converse(session, "hello")
    assert.strictEqual(event.type, "message.created")
    const grounding = (await trace(session, event)).stages.find(({ stage }: { stage: string }) => stage === "grounding")
    assert.deepInclude(grounding, { status: "fallback", error_code: code })
  })

  it("takes two calls in fast mode and one for memory extraction, and the trace adds up their costs", async () => {
    const session = await app.createSession()
    const before = model.requests.length
    const reply = await app.converse(session, "hello, I am Ben")
    const row = await until("memory extraction", async () => {
      const row = await trace(session, reply)
      return row.settled ? row : undefined
    })
    assert.deepStrictEqual(
      model.requests.slice(before).map(({ question, model }) => `${question} ${model}`),
      ["analysis gpt-5-nano", "reply gpt-5-mini"]
    )
    const tokens = { inputTokens: 1_000, cachedInputTokens: 400, outputTokens: 50 }
    assert.deepInclude(row.stages.at(-1), { stage: "relational_update", model: "gpt-5-nano" })
    assert.strictEqual(
      Math.round(row.cost_usd * 1_000_000),
      2 * LIST_PRICES.costMicroUsd("gpt-5-nano", tokens) + LIST_PRICES.costMicroUsd("gpt-5-mini", tokens)
    )
    assert.deepStrictEqual(row.tokens, { input: 3_000, cached_input: 1_200, output: 150 })
  })

  it("ends as timed_out when an attempt exceeds its deadline, which does not include time in the queue", async () => {
    const session = await app.createSession()
    otherwise = { kind: "stall" }
    const sent = await app.post(`/v1/sessions/${session}/messages`, { text: "hello, I am Ben", reply_mode: "deep" })
    const queued = await app.post(`/v1/sessions/${session}/messages`, { text: "still there?", reply_mode: "fast" })
    const first = await app.waitFor(
      session,
      (event) => event.type === "message.failed" && event.trace_id === sent.body.data.run_ref
    )
    assert.deepStrictEqual(first.payload, { turn_index: 1, reason: "timed_out", recoverable: true })
    otherwise = { kind: "ok" }
    const second = await app.waitFor(
      session,
      (event) =>
        event.trace_id === queued.body.data.run_ref && event.role === "character" && event.type === "message.created"
    )
    assert.strictEqual(second.payload["turn_index"], 2)
    // A model had read both calls that were cut off.
    const { stages, cost_usd } = await until("memory extraction", async () => {
      const row = await trace(session, first)
      return row.settled ? row : undefined
    })
    const paid = stages.filter(({ cost_usd }: { cost_usd: number }) => cost_usd > 0)
    assert.deepStrictEqual(
      paid.map(({ stage, error_code, estimated }: Record<string, unknown>) => [stage, error_code, estimated]),
      [
        ["grounding", "timeout", true],
        ["generation", "timed_out", true],
        ["relational_update", null, false]
      ]
    )
    const microUsd = (usd: number) => Math.round(usd * 1_000_000)
    assert.strictEqual(
      microUsd(cost_usd),
      paid.reduce((sum: number, { cost_usd }: { cost_usd: number }) => sum + microUsd(cost_usd), 0)
    )
  })

  it("is requested again after a failure by sending a new message", async () => {
    const session = await app.createSession()
    otherwise = { kind: "server_error" }
    const failed = await app.converse(session, "are you there?")
    otherwise = { kind: "ok" }
    const again = await app.converse(session, "are you there?")
    assert.strictEqual(again.payload["turn_index"], 2)
    assert.notStrictEqual(again.trace_id, failed.trace_id)
    const said = (await app.events(session)).filter((event) => event.role === "user")
    assert.lengthOf(said, 2)
  })
})
