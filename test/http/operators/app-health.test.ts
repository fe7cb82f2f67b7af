import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { MetricsData } from "#src/http/conversation/metricsSchemas.ts"
import { AppHealthData } from "#src/http/operators/appHealthSchemas.ts"
import { start, type Behaviour, type FakeModel } from "#test/support/model/FakeModel.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let otherwise: Behaviour = { kind: "ok" }
let model: FakeModel
let server: TestServer
let app: TestApp
beforeAll(async () => {
  model = await start({ otherwise: () => otherwise })
  server = await startTestServer({
    env: { OPENAI_BASE_URL: model.url, OPENAI_MODEL: "gpt-5-mini", OUTBOUND_ALLOW: "127.0.0.1" }
  })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await model.close()
})

const read = async (app: TestApp, session: string, run: string) =>
  until("memory extraction", async () => {
    const [row] = (await app.get(`/v1/sessions/${session}/trace?run_ref=${run}`)).body.data.trace
    return row.settled ? row : undefined
  })

describe("GET /v1/health", () => {
  it("is ok if nothing waits and nothing fails", async () => {
    const { status, body } = await app.get("/v1/health")
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(AppHealthData.strict().safeParse(body.data).error, undefined)
    assert.deepInclude(body.data, { status: "ok" })
    assert.deepInclude(body.data.components.llm, {
      engine: "live",
      model: "gpt-5-mini",
      last_ok_at: null,
      error_rate_5m: null
    })
  })

  it("reports failing turns and channels of the app, and of no other", async () => {
    const other = await server.createApp()
    const session = await other.createSession()
    await other.converse(session, "hello")
    otherwise = { kind: "refusal" }
    for (const text of ["one", "two"]) await other.converse(session, text)
    otherwise = { kind: "ok" }
    const { status, components } = (await other.get("/v1/health")).body.data
    assert.strictEqual(status, "degraded")
    assert.strictEqual(components.queue.failed, 2)
    assert.isAtLeast(components.llm.error_rate_5m, 0.5)
    assert.isString(components.llm.last_ok_at)
    assert.strictEqual((await app.get("/v1/health")).body.data.status, "ok")
    await app.post(`/v1/apps/${app.appId}/channels`, { kind: "webhook", url: "http://127.0.0.1:1/hook" })
    await server.database.sql`update channels set status = 'failing' where app_id = ${app.appId}`
    assert.deepInclude((await app.get("/v1/health")).body.data, { status: "degraded" })
    await server.database.sql`update channels set status = 'paused' where app_id = ${app.appId}`
  })

  it("reports turns that nobody processes, and whether any worker is running", async () => {
    const session = await app.createSession()
    await app.converse(session, "hello")
    await server.database.sql`
        update turns set outcome = null, owner = null, due_at = now() - interval '1 minute'
        where session_id = ${session}`
    const { status, components } = (await app.get("/v1/health")).body.data
    assert.strictEqual(status, "degraded")
    assert.strictEqual(components.queue.ready, 1)
    assert.isAtLeast(components.queue.oldest_age_seconds, 59)
    await server.database.sql`update turns set outcome = 'replied' where session_id = ${session}`
  })
})

describe("GET /v1/metrics", () => {
  it("adds up the outcomes, times and costs of turns, as in the trace", async () => {
    const own = await server.createApp()
    const session = await own.createSession()
    const rows = []
    for (const text of ["one", "two", "three"])
      rows.push(await read(own, session, (await own.converse(session, text)).trace_id))
    otherwise = { kind: "refusal" }
    rows.push(await read(own, session, (await own.converse(session, "four")).trace_id))
    otherwise = { kind: "ok" }
    for (const window of ["1h", "24h", "7d"]) {
      const { data } = (await own.get(`/v1/metrics?window=${window}`)).body
      assert.deepStrictEqual(MetricsData.strict().safeParse(data).error, undefined)
      assert.deepInclude(data, {
        window,
        turns: 4,
        complete: true,
        failure_reasons: { generation_failed: 1 },
        withhold_rate: 0,
        exit_rate: 0,
        delivery: { success_rate: null }
      })
      assert.deepStrictEqual(data.outcomes, { replied: 3, withheld: 0, exited: 0, failed: 1, generating: 0 })
      assert.closeTo(
        data.cost_usd,
        rows.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
        1e-9
      )
      assert.strictEqual(
        data.tokens.input,
        rows.reduce((sum, { tokens }) => sum + tokens.input, 0)
      )
      assert.isAtMost(data.latency.p50_ms, data.latency.p95_ms)
    }
  })

  it("returns nothing for an app without activity, whatever happens in others", async () => {
    const idle = await server.createApp()
    const { data } = (await idle.get("/v1/metrics")).body
    assert.deepStrictEqual(MetricsData.strict().safeParse(data).error, undefined)
    assert.deepInclude(data, { window: "24h", turns: 0, cost_usd: 0, withhold_rate: null, gate_hits: {} })
    assert.strictEqual((await idle.get("/v1/metrics?window=1y")).status, 422)
  })

  it("excludes what was before its window", async () => {
    const own = await server.createApp()
    const session = await own.createSession()
    await own.converse(session, "hello")
    await server.database.sql`alter table ledger disable trigger append_only`
    await server.database.sql`update ledger set at = now() - interval '2 hours' where app_id = ${own.appId}`
    await server.database.sql`alter table ledger enable trigger append_only`
    assert.strictEqual((await own.get("/v1/metrics?window=1h")).body.data.turns, 0)
    assert.strictEqual((await own.get("/v1/metrics?window=24h")).body.data.turns, 1)
  })

  it("reports the results of pushes", async () => {
    const own = await server.createApp()
    const session = await own.createSession()
    await own.post(`/v1/sessions/${session}/channels`, {
      kind: "webhook",
      url: "http://127.0.0.1:1/hook",
      from: "start"
    })
    await own.converse(session, "hello")
    const rate = () => own.get("/v1/metrics").then(({ body }) => body.data.delivery.success_rate)
    await until("an attempt", async () => ((await rate()) !== null ? true : undefined))
    assert.strictEqual(await rate(), 0)
    await server.database.sql`update delivery_attempts set outcome = 'sent' where session_id = ${session}`
    assert.strictEqual(await rate(), 1)
  })

  it("does not count a push that started and failed as sent", async () => {
    const own = await server.createApp()
    const session = await own.createSession()
    await own.converse(session, "hello")
    const decided = (outcome: string) => server.database.sql`
      with t as (update turns set outcome = ${outcome}, failure_reason = ${outcome === "withheld" ? "guilt" : null}
        where session_id = ${session} returning app_id, session_id, turn_index)
      insert into proactive_decisions (app_id, session_id, decision_id, reason, decision, turn_index)
      select app_id, session_id, 'dec_zzzzzzzzzz', 'cold_initiate', 'sent', turn_index from t on conflict do nothing`
    const seen = async () => {
      const { detail, title } = (await own.get(`/v1/sessions/${session}/timeline`)).body.data.items.find(
        ({ kind }: { kind: string }) => kind === "proactive_decision"
      )
      return [(await own.get("/v1/metrics")).body.data.proactive, title, detail.skipped_by]
    }
    await decided("replied")
    assert.deepStrictEqual(await seen(), [{ sent: 1, skipped_by: {} }, "sent", null])
    await decided("withheld")
    assert.deepStrictEqual(await seen(), [{ sent: 0, skipped_by: { guilt: 1 } }, "skipped", "guilt"])
  })
})
