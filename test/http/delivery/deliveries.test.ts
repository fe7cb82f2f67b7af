import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { newId } from "#pipeline/domain/Id.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

let server: TestServer
let app: TestApp
beforeAll(async () => {
  // No worker: the tests write what a courier would.
  server = await startTestServer({ env: { ROLES: "api", OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(() => server.close())

interface Setting {
  readonly session: string
  readonly channel: string
  readonly ids: ReadonlyArray<string>
}
/** A session with four events (a greeting, then the two of a message), and a channel that has delivered nothing. */
const setUp = async (fields: object = {}): Promise<Setting> => {
  const session = await app.createSession({ character_slug: await app.createCharacter({ greeting: "Hello." }) })
  const { body } = await app.post(`/v1/sessions/${session}/channels`, {
    kind: "webhook",
    url: "https://127.0.0.1:1/hook",
    from: "start",
    ...fields
  })
  await app.send(session, "Hi.")
  const events = await app.events(session)
  assert.lengthOf(events, 3)
  return { session, channel: body.data.id, ids: events.map((event) => event.id) }
}
const list = async ({ session }: Setting, query = "") =>
  (await app.get(`/v1/sessions/${session}/delivery${query}`)).body.data
const idOf = ({ channel }: Setting, cursor: number) => `dlv_${channel.slice(4)}_${cursor}`
const retry = (setting: Setting, cursor: number) =>
  app.post(`/v1/sessions/${setting.session}/delivery/${idOf(setting, cursor)}/retry`, {})
const attempt = (
  at: Setting,
  cursor: number,
  fence: number,
  outcome: string,
  more: { status?: number; error?: string } = {}
) => server.database.sql`
  insert into delivery_attempts (app_id, session_id, channel_id, cursor, fence, event_id, outcome, status_code,
    error_code, answer, started_at, latency_ms)
  values (${app.appId}, ${at.session}, ${at.channel}, ${cursor}, ${fence}, ${at.ids[cursor - 1] ?? ""}, ${outcome},
    ${more.status ?? null}, ${more.error ?? null}, ${more.status === undefined ? null : "ok"},
    '2026-11-21T10:00:00Z'::timestamptz + ${fence} * interval '1 minute', 250)`
const moveLane = ({ channel }: Setting, position: number, status: string, failures = 0) =>
  server.database.sql`
      update lanes set position = ${position}, status = ${status}, failures = ${failures},
      due_at = '2100-01-01T00:00:00Z' where channel_id = ${channel}`
const lane = async ({ channel }: Setting) =>
  (
    await server.database.sql`
        select status, array_to_json(redo) as redo, due_at < '2099-01-01' as due from lanes
        where channel_id = ${channel}`
  )[0]

describe("the trace of a turn", () => {
  it("counts the pushes of its events that were attempted and that arrived", async () => {
    const at = await setUp()
    await attempt(at, 1, 1, "sent", { status: 200 })
    await attempt(at, 2, 2, "not_sent", { status: 503 })
    await attempt(at, 2, 3, "sent", { status: 200 })
    await attempt(at, 3, 4, "not_sent", { status: 503 })
    const [row] = (await app.get(`/v1/sessions/${at.session}/trace`)).body.data.trace
    assert.deepStrictEqual(row.delivery, { attempted: 2, delivered: 1 })
  })
})

describe("the deliveries of a session", () => {
  it("are the events ahead of a lane, newest first, and pending", async () => {
    const at = await setUp()
    const { deliveries, next_cursor } = await list(at)
    assert.isNull(next_cursor)
    assert.deepStrictEqual(
      deliveries,
      [3, 2, 1].map((cursor) => ({
        id: idOf(at, cursor),
        channel_id: at.channel,
        kind: "webhook",
        event_id: at.ids[cursor - 1],
        event_cursor: cursor,
        outcome: "pending",
        attempts: 0,
        last_status_code: null,
        last_error_code: null,
        next_attempt_at: null,
        delivered_at: null,
        latency_ms: null
      }))
    )
  })

  it("are of the types that the channel wants, and of no event before its start", async () => {
    const at = await setUp({ events: ["message.created"] })
    assert.deepStrictEqual(
      (await list(at)).deliveries.map((delivery: { event_cursor: number }) => delivery.event_cursor),
      [2]
    )
    const other = await app.post(`/v1/sessions/${at.session}/channels`, {
      kind: "webhook",
      url: "https://127.0.0.1:1/hook"
    })
    assert.deepStrictEqual((await list(at, `?channel_id=${other.body.data.id}`)).deliveries, [])
  })

  it("show the result of each: sent before the position, failing at the next event, pending after", async () => {
    const at = await setUp()
    await attempt(at, 1, 1, "unknown", { error: "timeout" })
    await attempt(at, 1, 2, "sent", { status: 204 })
    await attempt(at, 2, 3, "not_sent", { status: 503, error: "http_503" })
    await moveLane(at, 1, "waiting", 1)
    const [third, second, first] = (await list(at)).deliveries
    assert.deepInclude(third, { outcome: "pending", attempts: 0, next_attempt_at: null })
    assert.deepInclude(second, {
      outcome: "not_sent",
      attempts: 1,
      last_status_code: 503,
      last_error_code: "http_503",
      next_attempt_at: "2100-01-01T00:00:00.000Z",
      delivered_at: null,
      latency_ms: 250
    })
    assert.deepInclude(first, {
      outcome: "sent",
      attempts: 2,
      last_status_code: 204,
      last_error_code: null,
      next_attempt_at: null,
      delivered_at: "2026-11-21T10:02:00.250Z"
    })
    const one = (await app.get(`/v1/sessions/${at.session}/delivery/${idOf(at, 1)}`)).body.data
    const { attempt_list, ...rest } = one
    assert.deepStrictEqual(rest, first)
    assert.deepStrictEqual(attempt_list, [
      {
        at: "2026-11-21T10:01:00.000Z",
        part: 0,
        outcome: "unknown",
        status_code: null,
        error_code: "timeout",
        latency_ms: 250,
        answer: null
      },
      {
        at: "2026-11-21T10:02:00.000Z",
        part: 0,
        outcome: "sent",
        status_code: 204,
        error_code: null,
        latency_ms: 250,
        answer: "ok"
      }
    ])
    await app.post(`/v1/sessions/${at.session}/channels/${at.channel}/replay`, { since: 0 })
    assert.deepStrictEqual(
      (await list(at)).deliveries.map((delivery: { outcome: string }) => delivery.outcome),
      ["pending", "pending", "pending"]
    )
  })

  it("are attempted next when the whole channel no longer waits", async () => {
    const at = await setUp()
    await attempt(at, 1, 1, "not_sent", { status: 429, error: "http_429" })
    await moveLane(at, 0, "waiting", 1)
    await server.database.sql`update channels set not_before = '2101-01-01T00:00:00Z' where channel_id = ${at.channel}`
    for (const delivery of [(await list(at)).deliveries.at(-1), (await retry(at, 1)).body.data])
      assert.strictEqual(delivery.next_attempt_at, "2101-01-01T00:00:00.000Z")
    await app.post(`/v1/sessions/${at.session}/channels/${at.channel}/resume`, {})
    assert.isNull((await list(at)).deliveries.at(-1).next_attempt_at)
  })

  it("are paged without omissions or repeats, with any number of channels", async () => {
    const at = await setUp()
    for (let n = 0; n < 2; n++)
      await app.post(`/v1/sessions/${at.session}/channels`, {
        kind: "webhook",
        url: "https://127.0.0.1:1/hook",
        from: "start"
      })
    const whole = (await list(at)).deliveries.map((delivery: { id: string }) => delivery.id)
    assert.lengthOf(whole, 9)
    const paged: Array<string> = []
    for (let cursor = ""; ;) {
      const { deliveries, next_cursor } = await list(at, `?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`)
      paged.push(...deliveries.map((delivery: { id: string }) => delivery.id))
      if (next_cursor === null) break
      cursor = next_cursor
    }
    assert.deepStrictEqual(paged, whole)
    const cursors = whole.map((id: string) => Number(id.split("_").at(-1)))
    assert.deepStrictEqual(
      cursors,
      cursors.toSorted((a: number, b: number) => b - a)
    )
    assert.strictEqual((await app.get(`/v1/sessions/${at.session}/delivery?cursor=eHh4`)).status, 422)
  })

  it("are 404 for another session, another app, a missing event or a deleted channel", async () => {
    const at = await setUp()
    const other = await server.createApp()
    const mine = `/v1/sessions/${at.session}/delivery/${idOf(at, 1)}`
    const paths = [
      `/v1/sessions/${at.session}/delivery/${idOf(at, 99)}`,
      `/v1/sessions/${at.session}/delivery/${idOf({ ...at, channel: newId("chn") }, 1)}`,
      `/v1/sessions/${at.session}/delivery/x`,
      `/v1/sessions/${at.session}/delivery/${idOf(at, 1)}0000000000000000`,
      `/v1/sessions/${await app.createSession()}/delivery/${idOf(at, 1)}`,
      `/v1/sessions/x/delivery/${idOf(at, 1)}`
    ]
    const bodies = new Set<string>()
    const answers = [
      ...(await Promise.all(paths.flatMap((path) => [app.get(path), app.post(`${path}/retry`, {})]))),
      await other.get(mine),
      await other.post(`${mine}/retry`, {})
    ]
    for (const { status, body } of answers) {
      assert.strictEqual(status, 404)
      assert.strictEqual(body.detail.code, "delivery_not_found")
      bodies.add(JSON.stringify(body).replace(body.detail.request_id, ""))
    }
    assert.lengthOf([...bodies], 1)
    assert.strictEqual((await other.get(`/v1/sessions/${at.session}/delivery`)).body.detail.code, "session_not_found")
    await attempt(at, 1, 1, "sent", { status: 200 })
    await app.delete(`/v1/sessions/${at.session}/channels/${at.channel}`)
    assert.deepStrictEqual((await list(at)).deliveries, [])
    assert.strictEqual((await app.get(mine)).status, 404)
  })
})

describe("a retry", () => {
  it("of an event before the position delivers it once more, however often it is requested", async () => {
    const at = await setUp()
    for (const cursor of [1, 2, 3]) await attempt(at, cursor, cursor, "sent", { status: 200 })
    await moveLane(at, 3, "idle")
    assert.strictEqual((await retry(at, 2)).status, 200)
    const again = await retry(at, 2)
    assert.deepInclude(again.body.data, { id: idOf(at, 2), outcome: "sent" })
    assert.isNotNull(again.body.data.next_attempt_at)
    assert.deepStrictEqual({ ...(await lane(at)) }, { status: "ready", redo: [2], due: true })
  })

  it("of the event that a lane waits for makes it due now", async () => {
    const at = await setUp()
    await attempt(at, 1, 1, "not_sent", { status: 500 })
    await moveLane(at, 0, "waiting", 1)
    assert.strictEqual((await retry(at, 1)).status, 200)
    assert.deepStrictEqual({ ...(await lane(at)) }, { status: "ready", redo: [], due: true })
  })

  it("of a later event changes nothing, and one of an earlier event does not hurry a waiting lane", async () => {
    const at = await setUp()
    await attempt(at, 1, 1, "sent", { status: 200 })
    await moveLane(at, 1, "waiting", 1)
    assert.deepInclude((await retry(at, 3)).body.data, { outcome: "pending" })
    assert.deepStrictEqual({ ...(await lane(at)) }, { status: "waiting", redo: [], due: false })
    assert.strictEqual((await retry(at, 1)).status, 200)
    assert.deepStrictEqual({ ...(await lane(at)) }, { status: "waiting", redo: [1], due: false })
  })

  it("is refused if a hundred wait on the lane already, except for one of those", async () => {
    const at = await setUp()
    await attempt(at, 1, 1, "sent", { status: 200 })
    await attempt(at, 2, 2, "sent", { status: 200 })
    await moveLane(at, 2, "idle")
    await server.database
      .sql`update lanes set redo = array(select 1 from generate_series(1, 100)) where channel_id = ${at.channel}`
    const refused = await retry(at, 2)
    assert.strictEqual(refused.status, 409)
    assert.strictEqual(refused.body.detail.code, "delivery_retry_limit_reached")
    assert.strictEqual((await retry(at, 1)).status, 200)
  })
})
