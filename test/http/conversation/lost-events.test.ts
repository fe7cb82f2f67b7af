import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { isApiError, Troupe } from "#client/index.ts"
import { loseEvents } from "#test/support/postgres/loseEvents.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer({ env: { MESSAGES_PER_MINUTE: "100000", REQUESTS_PER_MINUTE: "1000000" } })
  app = await server.createApp()
})
afterAll(() => server.close())

/** A session whose log ends at cursor 3. */
const shortLog = async (): Promise<string> => {
  const session = await app.createSession()
  await app.converse(session, "What is for dinner?")
  return session
}
const expiryOf = ({ status, body }: Awaited<ReturnType<TestApp["get"]>>) => ({
  status,
  code: body.detail?.code,
  message: /This log ends at cursor \d+\./.exec(body.detail?.message)?.[0],
  earliest_since: body.detail?.earliest_since
})
const expired = (tail: number, earliest = 0) => ({
  status: 410,
  code: "cursor_expired",
  message: `This log ends at cursor ${tail}.`,
  earliest_since: earliest
})

describe("a cursor beyond the end of a log", () => {
  it.each([4, 1_000_000, Number.MAX_SAFE_INTEGER])("gets 410 with where to start, at once: %d", async (since) => {
    const session = await shortLog()
    const events = `/v1/sessions/${session}/events`
    for (const path of [`${events}?since=${since}`, `${events}?since=${since}&wait=30`])
      assert.deepStrictEqual(expiryOf(await app.get(path)), expired(3))
    assert.deepStrictEqual(expiryOf(await app.get(`${events}/stream?since=${since}`)), expired(3))
    assert.deepStrictEqual(
      expiryOf(await app.request("GET", `${events}/stream`, undefined, { "last-event-id": String(since) })),
      expired(3)
    )
    const [first] = await app.events(session)
    assert.deepStrictEqual(
      expiryOf(await app.get(`${events}?since=${since}&wait=30&until=turn:${first?.trace_id}`)),
      expired(3)
    )
    assert.deepStrictEqual(expiryOf(await app.get(`/v1/delivery/events?since=${since}&wait=30`)), expired(0))
  })

  it("is told to start at the oldest event that is kept", async () => {
    const session = await shortLog()
    await server.database.sql`update session_logs set kept_after = 2 where session_id = ${session}`
    assert.deepStrictEqual(expiryOf(await app.get(`/v1/sessions/${session}/events?since=4`)), expired(3, 2))
  })

  it("ends the iteration of the TypeScript client with where to start", async () => {
    const session = await shortLog()
    const { sessions } = new Troupe({ apiKey: app.key, baseUrl: server.baseUrl })
    for (const poll of [true, false]) {
      const error: unknown = await sessions
        .follow(session, { since: 9, poll })
        .next()
        .catch((thrown: unknown) => thrown)
      assert.isTrue(isApiError(error, "cursor_expired") && error.detail.earliest_since === 0)
    }
  })
})

describe("the client's say", () => {
  it("fails at once if the server knows the message but no longer keeps its reply", async () => {
    const session = await app.createSession()
    const { sessions } = new Troupe({ apiKey: app.key, baseUrl: server.baseUrl })
    const say = () => sessions.say(session, "What is for dinner?", { idempotencyKey: "dinner" })
    await say()
    await server.database.sql`update session_logs set kept_after = last_cursor where session_id = ${session}`
    const error: unknown = await say().catch((thrown: unknown) => thrown)
    assert.isTrue(isApiError(error, "cursor_expired"))
  })
})

describe("a reader of a log that loses events", () => {
  it("is told while it waits for an event, or for the end of a turn", async () => {
    for (const forTurn of [false, true]) {
      const session = await shortLog()
      const [first] = await app.events(session)
      await server.database.sql`update turns set outcome = null, due_at = 'infinity' where session_id = ${session}`
      const until = forTurn ? `&until=turn:${first?.trace_id}` : ""
      const waiting = app.get(`/v1/sessions/${session}/events?since=3&wait=30${until}`)
      await loseEvents(server.database, session, 2)
      assert.deepStrictEqual(expiryOf(await waiting), expired(2))
    }
  })

  it("is told when it reconnects, because its stream ends at once", async () => {
    const session = await shortLog()
    const headers = { authorization: `Bearer ${app.key}` }
    const stream = await fetch(`${server.baseUrl}/v1/sessions/${session}/events/stream?since=3`, { headers })
    await loseEvents(server.database, session, 1)
    assert.notInclude(await stream.text(), "data:")
    assert.deepStrictEqual(
      expiryOf(await app.request("GET", `/v1/sessions/${session}/events/stream`, undefined, { "last-event-id": "3" })),
      expired(1)
    )
  })
})

describe("the cursor of an acknowledgement", () => {
  it("is never refused, neither by the process that gave it nor by another", async () => {
    const other = await startTestServer({
      database: server.database,
      env: { MESSAGES_PER_MINUTE: "100000", REQUESTS_PER_MINUTE: "1000000" }
    })
    try {
      const elsewhere = new TestApp(other.baseUrl, app.appId, app.key)
      const sessions = await Promise.all(Array.from({ length: 8 }, () => app.createSession()))
      const converse = async (session: string) => {
        for (let n = 0; n < 10; n++) {
          const { status, body } = await app.send(session, `Message ${n}`)
          assert.strictEqual(status, 200)
          const path = `/v1/sessions/${session}/events?since=${body.data.cursor}`
          const answers = await Promise.all([elsewhere.get(path), app.get(path), elsewhere.get(`${path}&wait=1`)])
          assert.deepStrictEqual(
            answers.map((answer) => answer.status),
            [200, 200, 200]
          )
        }
      }
      await Promise.all(sessions.map(converse))
    } finally {
      await other.close()
    }
  })
})
