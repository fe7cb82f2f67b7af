import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
})
afterAll(() => server.close())

const read = async (session: string, query: string) => {
  const { status, body } = await app.get(`/v1/sessions/${session}/events?${query}`)
  return { status, data: body.data }
}
/** The result of a read that ends before the wait of another one does, on a session in which nothing happens. */
const readBeforeWaitEnds = async <A>(reading: Promise<A>): Promise<A> => {
  const waiting = read(await app.createSession(), "since=0&wait=30").then(() => "nothing")
  const first = await Promise.race([reading, waiting])
  assert.notStrictEqual(first, "nothing")
  return reading
}

describe("a poll with wait", () => {
  it("returns at once if there is an event", async () => {
    const session = await app.createSession()
    await app.send(session, "Hello")
    const { data } = await readBeforeWaitEnds(read(session, "since=0&wait=30"))
    assert.isNotEmpty(data.events)
  })

  it("returns as soon as an event is written", async () => {
    const session = await app.createSession()
    const waiting = read(session, "since=0&wait=30")
    const { body } = await app.send(session, "Hello")
    const { data } = await readBeforeWaitEnds(waiting)
    assert.strictEqual(data.events[0].cursor, body.data.cursor)
  })

  it("returns an empty page, with since as next_cursor, if nothing is written in time", async () => {
    const session = await app.createSession()
    const from = performance.now()
    const { status, data } = await readBeforeWaitEnds(read(session, "since=0&wait=0.3"))
    const tookMs = performance.now() - from
    assert.strictEqual(status, 200)
    assert.deepStrictEqual(data, { events: [], next_cursor: 0, has_more: false })
    assert.isAtLeast(tookMs, 290)
  })

  it("returns at once without wait", async () => {
    assert.deepStrictEqual((await readBeforeWaitEnds(read(await app.createSession(), "since=0"))).data.events, [])
  })

  it("finds an event of another process whose notification was lost", async () => {
    const session = await app.createSession()
    const waiting = read(session, "since=0&wait=30")
    await server.database.sql.begin(async (sql) => {
      await sql`update session_logs set last_cursor = 1 where session_id = ${session}`
      await sql`
        insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
        values (${app.appId}, ${session}, 1, 'evt_elsewhere', 'message.failed', 'system', 'run_elsewhere', 'system',
          '{"turn_index":1,"reason":"timed_out","recoverable":true}')`
    })
    const { data } = await readBeforeWaitEnds(waiting)
    assert.strictEqual(data.events[0].id, "evt_elsewhere")
  })

  it("is woken only by events after since", async () => {
    const session = await app.createSession()
    await app.converse(session, "Hello")
    const { length } = await app.events(session)
    const waiting = read(session, `since=${length}&wait=30`)
    await app.send(session, "Hello again")
    const { data } = await waiting
    assert.strictEqual(data.events[0].cursor, length + 1)
  })

  it("is answered at once with the existing events when the server stops", async () => {
    const stopping = await startTestServer()
    const own = await stopping.createApp()
    const session = await own.createSession()
    const waiting = own.get(`/v1/sessions/${session}/events?since=0&wait=30`)
    await until(
      "the poll to wait",
      async () =>
        (
          await stopping.database.sql`
              select 1 from pg_stat_activity where datname = current_database() and query like '%session_logs%'
              and query like '%unnest%' and pid <> pg_backend_pid()`
        ).length > 0
    )
    const closed = stopping.close()
    const { status, body } = await readBeforeWaitEnds(waiting)
    assert.deepStrictEqual([status, body.data], [200, { events: [], next_cursor: 0, has_more: false }])
    await closed
  })

  it("wakes all clients that wait on one session", async () => {
    const session = await app.createSession()
    const waiting = Array.from({ length: 20 }, () => read(session, "since=0&wait=30"))
    await app.send(session, "Hello")
    for (const { data } of await Promise.all(waiting)) assert.strictEqual(data.events[0].cursor, 1)
  })
})
