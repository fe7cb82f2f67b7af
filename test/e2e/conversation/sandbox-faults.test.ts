import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type Answer, type LogEvent, TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let demo: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { TURN_DEADLINE_FAST_SECONDS: "6" } })
  const { data } = (await new TestApp(server.baseUrl, "", "").post("/v1/demo/sandbox-key", undefined)).body
  demo = new TestApp(server.baseUrl, data.app_id, data.api_key)
})
afterAll(() => server.close())

const shape = ({ status, body }: Answer) => [status, body.detail?.code]
const open = () => demo.createSession({ character_slug: "edda-brandvik" })
const send = async (session: string, fault: string) => {
  const { status, body } = await demo.send(session, "Hello", { "x-sandbox-fault": fault })
  assert.strictEqual(status, 200)
  return body.data
}
const settled = (session: string, run: string) =>
  until("the end of the turn", async () => {
    const { runs } = (await demo.get(`/v1/sessions/${session}/runs`)).body.data
    const found = runs.find((each: { trace_id: string }) => each.trace_id === run)
    return found?.finished_at !== null && found
  })
const isOfTurn = (run: string) => (event: LogEvent) =>
  event.trace_id === run && event.role !== "user" && event.type !== "run.status"

describe("x-sandbox-fault under a demo key", () => {
  it.each(["generation_failed", "timed_out"])(
    "%s ends the turn accordingly, and the next one is answered",
    async (fault) => {
      const session = await open()
      const { run_ref, sent_turn_index } = await send(session, fault)
      const failed = await demo.waitFor(session, isOfTurn(run_ref))
      assert.strictEqual(failed.type, "message.failed")
      assert.deepStrictEqual(failed.payload, { turn_index: sent_turn_index, reason: fault, recoverable: true })
      assert.strictEqual((await demo.converse(session, "Hello again")).type, "message.created")
    }
  )

  it("withhold ends the turn in silence", async () => {
    const session = await open()
    const { run_ref } = await send(session, "withhold")
    await settled(session, run_ref)
    assert.isEmpty((await demo.events(session)).filter(isOfTurn(run_ref)))
    assert.strictEqual((await demo.converse(session, "Hello again")).type, "message.created")
  })

  it("exit makes the character leave, and further sends get 409 session_exited", async () => {
    const session = await open()
    const { run_ref } = await send(session, "exit")
    const exited = await demo.waitFor(session, isOfTurn(run_ref))
    assert.deepStrictEqual([exited.type, exited.payload], ["session.exited", { reason_code: "sandbox_fault" }])
    assert.deepStrictEqual(shape(await demo.send(session, "Wait!")), [409, "session_exited"])
  })

  it("stall says nothing until the deadline of the turn, and ends it as timed_out", async () => {
    const session = await open()
    const { run_ref } = await send(session, "stall")
    const { created_at, payload } = await demo.waitFor(session, isOfTurn(run_ref))
    assert.strictEqual(payload["reason"], "timed_out")
    const asked = (await demo.events(session)).find((event) => event.trace_id === run_ref)
    assert.isAtLeast(Date.parse(String(created_at)) - Date.parse(String(asked?.["created_at"])), 5900)
  })

  it("leaves no cost and no reservation afterwards, and appears in the trace", async () => {
    const session = await open()
    const { run_ref } = await send(session, "generation_failed")
    await demo.waitFor(session, isOfTurn(run_ref))
    const row = await until("memory extraction", async () => {
      const [row] = (await demo.get(`/v1/sessions/${session}/trace?run_ref=${run_ref}`)).body.data.trace
      return row.settled && row
    })
    assert.deepInclude(row, { outcome: "failed", cost_usd: 0 })
    assert.deepStrictEqual(
      row.stages.map(({ stage, status, decision }: Record<string, string>) => [stage, status, decision]),
      [
        ["generation", "skipped", "sandbox_generation_failed"],
        ["relational_update", "ok", null]
      ]
    )
    const [held] = await server.database
      .sql`select sum(amount_micro_usd)::int as held from ledger where run_ref = ${run_ref}`
    assert.strictEqual(held?.["held"], 0)
  })

  it("is 422 for any other value, but 404 comes first", async () => {
    const session = await open()
    for (const fault of ["explode", "", "exit,stall"]) {
      const answer = await demo.send(session, "Hello", { "x-sandbox-fault": fault })
      assert.deepStrictEqual(shape(answer), [422, "validation_error"], fault)
      assert.include(answer.body.detail.message, "x-sandbox-fault")
    }
    assert.deepStrictEqual(shape(await demo.send("ses_none", "Hello", { "x-sandbox-fault": "explode" })), [
      404,
      "session_not_found"
    ])
  })
})

describe("x-sandbox-fault under any other key", () => {
  it("is 422, but 404 comes first, and nothing is sent", async () => {
    const app = await server.createApp()
    const session = await app.createSession()
    for (const fault of ["exit", "explode"])
      assert.deepStrictEqual(shape(await app.send(session, "Hello", { "x-sandbox-fault": fault })), [
        422,
        "validation_error"
      ])
    assert.deepStrictEqual(shape(await app.send(await open(), "Hello", { "x-sandbox-fault": "exit" })), [
      404,
      "session_not_found"
    ])
    assert.deepStrictEqual(await app.events(session), [])
  })
})
