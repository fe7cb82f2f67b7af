import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { LogEvent, TestApp } from "#test/support/TestApp.ts"
import { feedShows } from "#test/support/conversation/feedShows.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let app: TestApp
let sessions: ReadonlyArray<string>
beforeAll(async () => {
  server = await startTestServer()
  app = await server.createApp()
  const character_slug = await app.createCharacter()
  sessions = await Promise.all(Array.from({ length: 3 }, () => app.createSession({ character_slug })))
  for (const session of sessions) await app.converse(session, "Hello")
  await feedShows(app, idsOf(await everything()))
})
afterAll(() => server.close())

const put = async (name: string, body: object = {}, by = app) => {
  const { status, body: answer } = await by.request("PUT", `/v1/consumers/${name}`, body)
  assert.strictEqual(status, 200, JSON.stringify(answer))
  return answer.data
}
const pull = async (name: string, body: object = {}) => {
  const { status, body: answer } = await app.post(`/v1/consumers/${name}/pull`, body)
  assert.strictEqual(status, 200, JSON.stringify(answer))
  return answer.data as {
    events: ReadonlyArray<LogEvent>
    ack: string | null
    acknowledged_sessions: number
    expired: boolean
  }
}
const of = (events: ReadonlyArray<LogEvent>, session: string | undefined) =>
  events.filter((event) => event["session_id"] === session)
const everything = async () => (await Promise.all(sessions.map((session) => app.events(session)))).flat()
const idsOf = (events: ReadonlyArray<LogEvent>) => events.map(({ id }) => id).sort()

describe("a consumer", () => {
  it("gets everything once, each session in order, and then nothing", async () => {
    await put("all")
    const heard: Array<LogEvent> = []
    for (let ack: string | null = null; ;) {
      const pulled = await pull("all", { limit: 4, ...(ack !== null && { ack }) })
      if (pulled.ack === null) break
      heard.push(...pulled.events)
      ack = pulled.ack
    }
    for (const session of sessions) assert.deepStrictEqual(of(heard, session), await app.events(session))
    assert.deepStrictEqual(idsOf(heard), idsOf(await everything()))
    const { leased_sessions, waiting_sessions, next_event_at } = await put("all")
    assert.deepStrictEqual([leased_sessions, waiting_sessions, next_event_at], [0, 0, null])
  })

  it("gives a session to one process at a time, and the others to the next", async () => {
    await put("shared")
    const first = await pull("shared", { limit: 2 })
    const second = await pull("shared", { limit: 500 })
    const taken = new Set(first.events.map((event) => event["session_id"]))
    assert.strictEqual(taken.size, 1)
    for (const event of second.events) assert.isFalse(taken.has(event["session_id"]))
    assert.deepStrictEqual((await pull("shared")).events, [])
    const { leased_sessions, waiting_sessions } = await put("shared")
    assert.deepStrictEqual([leased_sessions, waiting_sessions], [3, 1])
    const rest = await pull("shared", { ack: first.ack })
    assert.strictEqual(rest.acknowledged_sessions, 1)
    assert.deepStrictEqual([...first.events, ...rest.events], await app.events([...taken][0] as string))
  })

  it("gives what was not acknowledged in time to another process, in the same order", async () => {
    await put("slow", { lease_seconds: 60 })
    const first = await pull("slow", { limit: 500 })
    assert.deepStrictEqual((await pull("slow")).events, [])
    await server.database.sql`update consumer_leases set leased_until = now() - interval '1 second' where name = 'slow'`
    const second = await pull("slow", { limit: 500 })
    for (const session of sessions) assert.deepStrictEqual(of(second.events, session), of(first.events, session))
    assert.strictEqual((await pull("slow", { ack: first.ack })).acknowledged_sessions, 0)
    assert.strictEqual((await pull("slow", { ack: second.ack })).acknowledged_sessions, 3)
    assert.deepStrictEqual((await pull("slow")).events, [])
  })

  it("waits for an event", async () => {
    await put("waiting", { from: "now" })
    assert.deepStrictEqual((await pull("waiting")).events, [])
    const waiting = pull("waiting", { wait: 20 })
    const { body } = await app.send(sessions[0] ?? "", "Again")
    const { events } = await waiting
    assert.strictEqual(events[0]?.trace_id, body.data.run_ref)
    await app.waitFor(sessions[0] ?? "", ({ role, trace_id }) => role === "character" && trace_id === body.data.run_ref)
    await feedShows(app, idsOf(await everything()))
  })

  it("filters, also after its filter was changed", async () => {
    await put("typed", { types: ["run.status"] })
    const { events } = await pull("typed", { limit: 500 })
    assert.deepStrictEqual(idsOf(events), idsOf((await everything()).filter(({ type }) => type === "run.status")))
    assert.deepStrictEqual((await put("typed", { types: null })).types, null)
    assert.deepStrictEqual((await put("typed")).types, null)
    await put("nobodys", { character: "nobody" })
    assert.deepStrictEqual((await pull("nobodys")).events, [])
  })

  it("acknowledges with PUT, too", async () => {
    await put("acked")
    const { ack } = await pull("acked", { limit: 500 })
    assert.strictEqual((await put("acked", { ack })).leased_sessions, 0)
    assert.deepStrictEqual((await pull("acked")).events, [])
  })

  it("refuses an ack that no pull can have given, and names it", async () => {
    await put("strict")
    for (const ack of ["nonsense", "", "lea_1"])
      for (const [method, path] of [
        ["POST", "/v1/consumers/strict/pull"],
        ["PUT", "/v1/consumers/strict"]
      ] as const) {
        const { status, body } = await app.request(method, path, { ack })
        assert.deepStrictEqual([status, body.detail.code], [422, "validation_error"])
        assert.include(body.detail.message, "ack: Must be the ack of an earlier pull")
      }
  })

  it("names the fields of a pull that it does not know", async () => {
    await put("mistyped")
    const pulled: object = await pull("mistyped", { limit: 1, acc: "x", wiat: 1 })
    assert.deepInclude(pulled, { ignored_fields: ["acc", "wiat"], did_you_mean: { acc: "ack", wiat: "wait" } })
    assert.notProperty(await pull("mistyped", { limit: 1 }), "ignored_fields")
  })

  it("is listed, read and deleted, and belongs to its app", async () => {
    await put("mine", { types: ["message.created"], lease_seconds: 30 })
    const { body } = await app.get("/v1/consumers/mine")
    const { data } = body
    assert.deepStrictEqual([data.name, data.types, data.lease_seconds], ["mine", ["message.created"], 30])
    assert.isNotNull(data.next_event_at)
    const all = (await app.get("/v1/consumers")).body.data.consumers
    assert.deepStrictEqual(
      all.find(({ name }: { name: string }) => name === "mine"),
      data
    )
    const other = await server.createApp()
    assert.strictEqual((await other.get("/v1/consumers/mine")).status, 404)
    assert.strictEqual((await other.post("/v1/consumers/mine/pull", {})).status, 404)
    assert.deepStrictEqual((await other.get("/v1/consumers")).body.data.consumers, [])
    assert.strictEqual((await app.delete("/v1/consumers/mine")).status, 200)
    for (const method of ["GET", "DELETE"]) {
      const { status, body: gone } = await app.request(method, "/v1/consumers/mine")
      assert.deepStrictEqual([status, gone.detail.code], [404, "consumer_not_found"])
    }
  })

  it("refuses names and settings that it does not know, and more consumers than an app may have", async () => {
    const of = await server.createApp()
    for (const name of ["Upper", "a b", "-x", "x".repeat(65), "%C3%A4"])
      assert.strictEqual((await of.request("PUT", `/v1/consumers/${name}`, {})).status, 422, name)
    for (const body of [{ types: ["message.creatd"] }, { types: [] }, { lease_seconds: 4 }, { from: "end" }])
      assert.strictEqual((await of.request("PUT", "/v1/consumers/a", body)).status, 422, JSON.stringify(body))
    for (let n = 0; n < 50; n++) await put(`c${n}`, {}, of)
    const { status, body } = await of.request("PUT", "/v1/consumers/one-more", {})
    assert.deepStrictEqual([status, body.detail.code], [409, "consumer_limit_reached"])
    await put("c0", { lease_seconds: 90 }, of)
  })

  it("is given events that come while an earlier part of their session is being acknowledged", async () => {
    const { sql } = server.database
    const waitingForLocks = (count: number) =>
      until("statements that wait for locks", async () => {
        const rows = await sql`
          select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return rows.length >= count
      })
    const session = await app.createSession()
    await put("raced", { from: "now" })
    await app.converse(session, "Hello")
    await feedShows(app, idsOf([...(await everything()), ...(await app.events(session))]))
    const first = await pull("raced", { limit: 500 })
    await app.converse(session, "Are you still there?")
    await feedShows(app, idsOf([...(await everything()), ...(await app.events(session))]))
    await sql.unsafe(`
      create function held() returns trigger language plpgsql as
        'begin perform pg_advisory_xact_lock(7); return old; end';
      create trigger held before delete on consumer_leases for each row execute function held()`)
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const holding = sql.begin(async (transaction) => {
      await transaction`select pg_advisory_xact_lock(7)`
      held.resolve()
      await released.promise
    })
    await held.promise
    const acknowledging = put("raced", { ack: first.ack })
    await waitingForLocks(1)
    const pulling = pull("raced", { limit: 500 })
    await waitingForLocks(2)
    released.resolve()
    await Promise.all([holding, acknowledging])
    const second = await pulling
    const third = await pull("raced", { limit: 500 })
    assert.deepStrictEqual(
      [first, second, third].flatMap(({ events }) => of(events, session)),
      await app.events(session)
    )
  })

  it("goes on after sessions were erased while a process had their events", async () => {
    const session = await app.createSession({ external_user_ref: "leaving" })
    await put("erased", { from: "now" })
    await app.converse(session, "Hello")
    // An open transaction of any database of the server may delay the feed for longer than one wait.
    await until("an event", async () => (await pull("erased", { limit: 1, wait: 10 })).events.length > 0)
    const { status } = await app.delete("/v1/end-users/leaving")
    assert.include([200, 202], status)
    await app.converse(sessions[1] ?? "", "Still here")
    await until("the event of another session", async () => {
      const { events } = await pull("erased", { limit: 500, wait: 10 })
      return of(events, sessions[1]).length > 0
    })
  })
})
