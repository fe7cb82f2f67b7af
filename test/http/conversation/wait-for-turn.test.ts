import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
/** A sandbox, whose turns end as the test asks. */
let sandbox: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  const { data } = (await (await fetch(`${server.baseUrl}/v1/demo/sandbox-key`, { method: "POST" })).json()) as any
  sandbox = new TestApp(server.baseUrl, data.app_id, data.api_key)
})
afterAll(() => server.close())

const waitFor = async (by: TestApp, session: string, since: number, runRef: string, wait = 20, limit = 200) => {
  const startedAt = performance.now()
  const { status, body } = await by.get(
    `/v1/sessions/${session}/events?since=${since}&until=turn:${runRef}&wait=${wait}&limit=${limit}`
  )
  return { status, body, data: body.data, tookMs: performance.now() - startedAt }
}

describe("a poll until a turn has ended", () => {
  it("returns when the reply is on the log, with everything since", async () => {
    const session = await app.createSession()
    const { cursor, run_ref } = (await app.send(session, "Hello")).body.data
    const { data } = await waitFor(app, session, cursor, run_ref)
    assert.deepStrictEqual(data.turn, { run_ref, outcome: "replied" })
    assert.deepStrictEqual(data.events, await app.events(session, cursor))
    assert.deepStrictEqual([data.events.at(-1).role, data.events.at(-1).trace_id], ["character", run_ref])
  })

  it("returns at once if the turn has ended", async () => {
    const session = await app.createSession()
    const reply = await app.converse(session, "Hello")
    // Before the wait of a poll ends for which nothing happens.
    const silence = app.get(`/v1/sessions/${await app.createSession()}/events?since=0&wait=20`)
    const { data } = await Promise.race([
      waitFor(app, session, reply.cursor, reply.trace_id),
      silence.then(({ body }) => body)
    ])
    assert.deepStrictEqual([data.events, data.turn.outcome], [[], "replied"])
  })

  it.each([
    ["withhold", "withheld", []],
    ["exit", "exited", ["session.exited"]],
    ["generation_failed", "failed", ["message.failed"]]
  ])("returns when the turn ends by %s", async (fault, outcome, types) => {
    const session = await sandbox.createSession()
    const { cursor, run_ref } = (await sandbox.send(session, "Hello", { "x-sandbox-fault": fault })).body.data
    const { data } = await waitFor(sandbox, session, cursor, run_ref)
    assert.strictEqual(data.turn.outcome, outcome)
    assert.includeMembers(
      data.events.map((event: { type: string }) => event.type),
      types
    )
  })

  it("returns what there is after the time, and says that the turn has not ended", async () => {
    const session = await sandbox.createSession()
    const { cursor, run_ref } = (await sandbox.send(session, "Hello", { "x-sandbox-fault": "stall" })).body.data
    const { data, tookMs } = await waitFor(sandbox, session, cursor, run_ref, 0.5)
    assert.deepStrictEqual(data.turn, { run_ref, outcome: null })
    assert.deepStrictEqual(
      data.events.map((event: { type: string }) => event.type),
      ["run.status"]
    )
    assert.isAtLeast(tookMs, 490)
  })

  it("returns a full page at once", async () => {
    const session = await sandbox.createSession()
    const { run_ref } = (await sandbox.send(session, "Hello", { "x-sandbox-fault": "stall" })).body.data
    const { data } = await waitFor(sandbox, session, 0, run_ref, 30, 1)
    assert.deepStrictEqual([data.events.length, data.has_more, data.turn.outcome], [1, true, null])
  })

  it("answers 404 for a turn of another session, and 422 for what is no turn", async () => {
    const [session, other] = [await app.createSession(), await app.createSession()]
    const { run_ref } = (await app.send(other, "Hello")).body.data
    for (const missing of [run_ref, newId("run")]) {
      const { status, body } = await waitFor(app, session, 0, missing)
      assert.deepStrictEqual([status, body.detail.code], [404, "turn_not_found"])
    }
    for (const until of ["run_1", "turn:", `turn:${session}`, "turn:run_1", run_ref]) {
      const { status } = await app.get(`/v1/sessions/${session}/events?until=${until}`)
      assert.strictEqual(status, 422, until)
    }
  })
})
