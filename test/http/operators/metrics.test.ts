import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { freePort } from "#test/support/freePort.ts"
import { createAccountIn } from "#test/support/createAccountIn.ts"
import { type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { readSamples, type Sample } from "#test/support/prometheusText.ts"

const TOKEN = "the-operator-of-the-metrics"
let server: TestServer
let operator: TestApp
let app: TestApp
let receiver: Receiver
let operations: string
beforeAll(async () => {
  const port = await freePort()
  operations = `http://127.0.0.1:${port}`
  receiver = await startReceiver(status(200))
  server = await startTestServer({
    env: { ADMIN_TOKEN: TOKEN, OPERATIONS_PORT: String(port), OUTBOUND_ALLOW: "127.0.0.1" }
  })
  operator = new TestApp(server.baseUrl, "", TOKEN)
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const samples = async (): Promise<ReadonlyArray<Sample>> => readSamples((await operator.get("/metrics")).body)
const valueOf = async (name: string, labels: Record<string, string> = {}): Promise<number> =>
  (await samples())
    .filter(
      (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value)
    )
    .reduce((sum, { value }) => sum + value, 0)

describe("the metrics of a process", () => {
  it("count a message from its accept to its reply and its delivery", async () => {
    const before = {
      accepted: await valueOf("troupe_accept_seconds_count"),
      replied: await valueOf("troupe_turns_total", { outcome: "replied" }),
      answered: await valueOf("troupe_accept_to_reply_seconds_count"),
      sent: await valueOf("troupe_deliveries_total", { kind: "webhook", outcome: "sent" })
    }
    const sessionId = await app.createSession()
    await app.post(`/v1/sessions/${sessionId}/channels`, { kind: "webhook", url: receiver.url })
    await app.converse(sessionId, "What is for dinner?")
    await until("the push to be counted", async () =>
      (await valueOf("troupe_deliveries_total", { kind: "webhook", outcome: "sent" })) > before.sent ? true : undefined
    )
    assert.isAbove(await valueOf("troupe_accept_seconds_count"), before.accepted)
    assert.isAbove(await valueOf("troupe_accept_batch_rows_count"), 0)
    assert.isAbove(await valueOf("troupe_turns_total", { outcome: "replied" }), before.replied)
    assert.isAbove(await valueOf("troupe_accept_to_reply_seconds_count"), before.answered)
  })

  it("count refusals by their code", async () => {
    const labels = { status: "404", code: "session_not_found" }
    const before = await valueOf("troupe_http_errors_total", labels)
    await app.send("ses_01JZZZZZZZZZZZZZZZZZZZZZZZ", "Is anybody there?")
    assert.strictEqual(await valueOf("troupe_http_errors_total", labels), before + 1)
  })

  it("tell what waits in the database, and that it answers", async () => {
    assert.strictEqual(await valueOf("troupe_database_up"), 1)
    const found = new Set((await samples()).map(({ name }) => name))
    for (const name of [
      "troupe_oldest_due_turn_seconds",
      "troupe_oldest_ready_lane_seconds",
      "troupe_oldest_open_update_seconds",
      "troupe_jobs_ready",
      "troupe_oldest_ready_job_seconds",
      "troupe_database_replication_lag_seconds",
      "troupe_database_oldest_transaction_seconds",
      "troupe_turns_in_flight",
      "troupe_turn_slots",
      "troupe_open_streams",
      "troupe_event_loop_delay_p99_seconds"
    ])
      assert.isTrue(found.has(name), name)
  })

  it("have no label that names an app, a bot, a session or anything else that grows", async () => {
    const sessionId = await app.createSession()
    await app.converse(sessionId, "Good evening.")
    const labels = new Map<string, Set<string>>()
    for (const sample of await samples()) {
      for (const [key, value] of Object.entries(sample.labels)) {
        labels.set(key, (labels.get(key) ?? new Set()).add(value))
      }
    }
    assert.deepStrictEqual(
      [...labels.keys()].filter(
        (key) =>
          ![
            "code",
            "dependency",
            "kind",
            "le",
            "method",
            "outcome",
            "purpose",
            "reason",
            "result",
            "status",
            "version"
          ].includes(key)
      ),
      []
    )
    for (const [key, values] of labels) {
      for (const value of values) {
        assert.match(value, /^[a-z0-9_.+-]{1,48}$|^[A-Z]{1,8}$|^\+Inf$/, key)
        assert.notMatch(value, /[0-9A-HJKMNP-TV-Z]{26}|^\d{6,}$/, key)
      }
    }
  })

  it("are named by the rules of Prometheus, each with a description and a type", async () => {
    const { body, headers } = await operator.get("/metrics")
    assert.strictEqual(headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    const types = new Map(
      [...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]: ReadonlyArray<string>) => [name, type])
    )
    const described = new Set([...body.matchAll(/^# HELP (\S+) \S/gm)].map(([, name]: ReadonlyArray<string>) => name))
    for (const [name = "", type] of types) {
      assert.match(name, /^(?:troupe|process)_[a-z0-9_]+$/)
      assert.isTrue(described.has(name), name)
      assert.strictEqual(name.endsWith("_total"), type === "counter", name)
    }
  })

  it("are read with the operator's token only", async () => {
    const account = await createAccountIn(server)
    for (const key of ["", "x", app.key, account.client.key])
      assert.strictEqual((await new TestApp(server.baseUrl, "", key).get("/metrics")).status, 401)
  })

  it("are also on the listener for operations, which needs no token and has nothing else", async () => {
    const metrics = await fetch(`${operations}/metrics`)
    assert.strictEqual(metrics.status, 200)
    assert.include(await metrics.text(), "troupe_accept_seconds_count")
    assert.deepStrictEqual(await (await fetch(`${operations}/healthz`)).json(), { status: "ok" })
    assert.strictEqual((await fetch(`${operations}/v1/me`)).status, 404)
    assert.strictEqual((await fetch(`${operations}/__proto__`)).status, 404)
    assert.strictEqual((await fetch(`${operations}/metrics`, { method: "POST", body: "x" })).status, 405)
  })

  it("ask the database with one query for all who read them, and say so when it does not answer", async () => {
    const { sql } = server.database
    const running = async () =>
      (
        await sql`select pid from pg_stat_activity where datname = current_database()
          and query like '%oldest_due_turn%' and wait_event_type = 'Lock'`
      ).length
    await sql.begin(async (locked) => {
      await locked`lock table telegram_updates in access exclusive mode`
      await until("the last sample to be too old", async () => {
        const answers = await Promise.all(Array.from({ length: 10 }, () => fetch(`${operations}/metrics`)))
        const texts = await Promise.all(answers.map((answer) => answer.text()))
        const asking = await running()
        assert.isAtMost(asking, 1)
        return asking === 1 && texts.every((text) => /^troupe_database_up 0$/m.test(text)) ? true : undefined
      })
      const text = await (await fetch(`${operations}/metrics`)).text()
      assert.match(text, /^troupe_oldest_due_turn_seconds NaN$/m)
      assert.match(text, /^troupe_turn_slots \d+$/m)
    })
    await until("the database to answer", async () => ((await valueOf("troupe_database_up")) === 1 ? true : undefined))
  })
})
