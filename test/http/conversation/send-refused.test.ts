import { randomUUID } from "node:crypto"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

/** A session whose character has left it. */
const exitedSession = async (before: (session: string) => Promise<unknown> = async () => {}) => {
  const slug = await app.createCharacter()
  const session = await app.createSession({ character_slug: slug })
  await before(session)
  await app.delete(`/v1/characters/${slug}?end_sessions=true`)
  return session
}
const rowsOf = async (session: string) => {
  const { sql } = server.database
  const [events, turns, jobs, log] = await Promise.all([
    sql`select cursor from events where session_id = ${session}`,
    sql`select turn_index from turns where session_id = ${session}`,
    sql`select id from graphile_worker._private_jobs where payload::text like ${`%${session}%`}`,
    sql`select last_cursor::int, turn_count, open_turns from session_logs where session_id = ${session}`
  ])
  return { events: events.length, turns: turns.length, jobs: jobs.length, log: { ...log[0] } }
}
const nothing = { events: 0, turns: 0, jobs: 0, log: { last_cursor: 0, turn_count: 0, open_turns: 0 } }

describe("a send to a session that the character left", () => {
  it("is 409 session_exited every time, and writes nothing", async () => {
    const session = await exitedSession()
    const before = await rowsOf(session)
    for (let n = 0; n < 2; n++) {
      const { status, body } = await app.send(session, "Are you there?")
      assert.strictEqual(status, 409)
      assert.strictEqual(body.detail.code, "session_exited")
    }
    assert.deepStrictEqual(await rowsOf(session), before)
  })

  it("still returns the original for a key that was accepted earlier", async () => {
    const key = { "idempotency-key": randomUUID() }
    let first: unknown
    const session = await exitedSession(async (id) => {
      first = (await app.send(id, "Hello", key)).body.data
    })
    const { status, body } = await app.send(session, "Hello", key)
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(body.data, { ...(first as object), idempotent_replay: true })
  })

  it("is accepted in a new session", async () => {
    const session = await exitedSession()
    const { external_user_ref } = (await app.get(`/v1/sessions/${session}`)).body.data
    const next = await app.createSession({ external_user_ref })
    assert.strictEqual((await app.send(next, "Hello")).status, 200)
  })
})

describe("a send over the budget", () => {
  it("is 402 budget_exceeded before any work, and writes nothing", async () => {
    const poor = await server.createApp({ budgetUsd: 0 })
    const session = await poor.createSession()
    const { status, body } = await poor.send(session, "Hello", { "idempotency-key": randomUUID() })
    assert.strictEqual(status, 402)
    assert.strictEqual(body.detail.code, "budget_exceeded")
    assert.deepStrictEqual(await rowsOf(session), nothing)
    const [budget] = await server.database
      .sql`select month_used_micro_usd::int as used from allowances where app_id = ${poor.appId}`
    assert.strictEqual(budget?.["used"], 0)
  })

  it("fails in an app whose budget is used up, and succeeds when the budget is raised", async () => {
    const poor = await server.createApp({ budgetUsd: 1 })
    const session = await poor.createSession()
    assert.strictEqual((await poor.send(session, "Hello")).status, 200)
    await server.database
      .sql`update allowances set month_used_micro_usd = monthly_limit_micro_usd where app_id = ${poor.appId}`
    assert.strictEqual((await poor.send(session, "Hello")).status, 402)
    await server.database
      .sql`update allowances set monthly_limit_micro_usd = 10 * monthly_limit_micro_usd where app_id = ${poor.appId}`
    assert.strictEqual((await poor.send(session, "Hello")).status, 200)
  })

  it("leaves all free routes usable", async () => {
    const poor = await server.createApp({ budgetUsd: 0 })
    const session = await poor.createSession()
    for (const path of ["/v1/me", `/v1/sessions/${session}/events`, `/v1/sessions/${session}/state`])
      assert.strictEqual((await poor.get(path)).status, 200)
  })
})

describe("a send to a session with 500 waiting turns", () => {
  it("is 429 turn_queue_full with Retry-After, and writes nothing", async () => {
    const session = await app.createSession()
    await server.database.sql`update session_logs set open_turns = 500 where session_id = ${session}`
    const { status, headers, body } = await app.send(session, "One more")
    assert.strictEqual(status, 429)
    assert.strictEqual(body.detail.code, "turn_queue_full")
    assert.isAbove(Number(headers.get("retry-after")), 0)
    assert.deepStrictEqual(await rowsOf(session), { ...nothing, log: { ...nothing.log, open_turns: 500 } })
  })

  it("is accepted with 499 waiting turns", async () => {
    const session = await app.createSession()
    await server.database.sql`update session_logs set open_turns = 499 where session_id = ${session}`
    assert.strictEqual((await app.send(session, "One more")).status, 200)
  })
})

describe("sends that arrive together", () => {
  it("are each checked at their own price: a fast one is accepted after a deep one that is over budget", async () => {
    const poor = await server.createApp({ budgetUsd: 1 })
    const sessions = [await poor.createSession(), await poor.createSession()] as const
    // The reservation of a send is read from the first one; then the budget is set between the two prices.
    await poor.send(sessions[0], "what does it cost?")
    const { sql } = server.database
    const [row] = await sql`select hold_micro_usd::int as hold from turns where session_id = ${sessions[0]}`
    await poor.waitFor(sessions[0], (event) => event.role === "character" && event.type === "message.created")
    await sql`update allowances set monthly_limit_micro_usd = month_used_micro_usd +
      ${row?.["hold"]} where app_id = ${poor.appId}`
    const [deep, fast] = await Promise.all([
      poor.post(`/v1/sessions/${sessions[0]}/messages`, { text: "think hard", reply_mode: "deep" }),
      poor.post(`/v1/sessions/${sessions[1]}/messages`, { text: "be quick", reply_mode: "fast" })
    ])
    assert.deepStrictEqual([deep.status, fast.status], [402, 200])
  })

  it("report the budget before the queue", async () => {
    const poor = await server.createApp({ budgetUsd: 0 })
    const session = await poor.createSession()
    await server.database.sql`update session_logs set open_turns = 500 where session_id = ${session}`
    assert.strictEqual((await poor.send(session, "hello")).body.detail.code, "budget_exceeded")
  })
})
