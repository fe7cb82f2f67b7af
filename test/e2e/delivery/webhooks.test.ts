import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { createHmac, timingSafeEqual } from "node:crypto"
import { newId } from "#pipeline/domain/Id.ts"
import { type Received, type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

let server: TestServer
let receiver: Receiver
let app: TestApp
beforeAll(async () => {
  receiver = await startReceiver(status(200, {}, "thanks"))
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const keyOf = (secret: string) =>
  secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret)
const isSignedWith = ({ headers, body }: Received, secret: string) => {
  const expected = createHmac("sha256", keyOf(secret))
    .update(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.`)
    .update(body)
    .digest()
  return String(headers["webhook-signature"])
    .split(" ")
    .some((signature) => {
      const given = Buffer.from(signature.replace(/^v1,/, ""), "base64")
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
}
const at = (path: string) => receiver.requests.filter((request) => request.path === path)
const cursorsAt = (path: string) => at(path).map((request) => Number(request.headers["x-service-cursor"]))
const urlOf = (path: string) => new URL(path, receiver.url).href
const greeted = async () => app.createSession({ character_slug: await app.createCharacter({ greeting: "Hello." }) })
const create = async (home: string, path: string, fields: object = {}) => {
  const { status, body } = await app.post(`${home}/channels`, { kind: "webhook", url: urlOf(path), ...fields })
  assert.strictEqual(status, 200, JSON.stringify(body))
  return body.data
}

describe("a channel of a session", () => {
  it("pushes the log in order from its start, signed, and the delivery view shows it", async () => {
    const session = await greeted()
    const channel = await create(`/v1/sessions/${session}`, "/one", { from: "start" })
    await app.converse(session, "What is for dinner?")
    const events = await app.events(session)
    await until("all events", () => at("/one").length >= events.length)
    assert.deepStrictEqual(
      cursorsAt("/one"),
      events.map((event) => event.cursor)
    )
    for (const [index, request] of at("/one").entries()) {
      assert.deepStrictEqual(JSON.parse(request.body.toString()), events[index])
      assert.isTrue(isSignedWith(request, channel.secret))
      assert.strictEqual(request.headers["x-service-event-id"], events[index]?.id)
    }
    const { deliveries } = await until("the view", async () => {
      const { data } = (await app.get(`/v1/sessions/${session}/delivery`)).body
      return data.deliveries.every((delivery: { outcome: string }) => delivery.outcome === "sent") && data
    })
    assert.lengthOf(deliveries, events.length)
    for (const delivery of deliveries)
      assert.deepInclude(delivery, { attempts: 1, last_status_code: 200, next_attempt_at: null })
    const found = (await app.get(`/v1/sessions/${session}/channels/${channel.id}`)).body.data
    assert.deepInclude(found, { position: events.length, status: "active" })

    await app.post(`/v1/sessions/${session}/delivery/${deliveries.at(-1).id}/retry`, {})
    await until("the first event again", () => at("/one").length > events.length)
    assert.strictEqual(cursorsAt("/one").at(-1), 1)
    assert.strictEqual(at("/one").at(-1)?.headers["webhook-id"], events[0]?.id)

    await app.post(`/v1/sessions/${session}/channels/${channel.id}/replay`, { since: events.length - 1 })
    await until("the last event again", () => cursorsAt("/one").at(-1) === events.length)
  })

  it("signs with the new secret and the old one during a rotation, immediately", async () => {
    const session = await greeted()
    const home = `/v1/sessions/${session}`
    const { id, secret: old } = await create(home, "/two")
    const path = `${home}/channels/${id}`
    await app.post(`${path}/test`, {})
    const next = (await app.patch(path, { secret: "rotate" })).body.data.secret
    await app.post(`${path}/test`, {})
    const last = (await app.patch(path, { secret: "another secret of mine", previous_secret_ttl_seconds: 0 })).body.data
      .secret
    await app.post(`${path}/test`, {})
    assert.deepStrictEqual(
      at("/two").map((request) => [old, next, last].map((secret) => isSignedWith(request, secret))),
      [
        [true, false, false],
        [true, true, false],
        [false, false, true]
      ]
    )
  })

  it("can be tested: an event that is on no log is pushed, and the response contains the result", async () => {
    const session = await greeted()
    const { id } = await create(`/v1/sessions/${session}`, "/three")
    const path = `/v1/sessions/${session}/channels/${id}`
    const { status, body } = await app.post(`${path}/test`, {})
    assert.strictEqual(status, 200)
    const { latency_ms, ...rest } = body.data
    assert.isAtLeast(latency_ms, 0)
    assert.deepStrictEqual(rest, { outcome: "sent", status_code: 200, error_code: null, answer: "thanks" })
    const [request] = at("/three")
    assert.strictEqual(request?.headers["x-service-cursor"], "0")
    assert.deepInclude(JSON.parse(request?.body.toString() ?? ""), {
      type: "channel.test",
      cursor: 0,
      session_id: session
    })
    assert.lengthOf(await app.events(session), 1)
    assert.deepStrictEqual((await app.get(`/v1/sessions/${session}/delivery`)).body.data.deliveries, [])

    await app.patch(path, { url: "http://127.0.0.1:1/nobody" })
    const failed = (await app.post(`${path}/test`, {})).body.data
    assert.deepInclude(failed, { outcome: "not_sent", status_code: null })
    assert.isString(failed.error_code)
    assert.deepInclude((await app.get(path)).body.data, { status: "active", consecutive_failures: 0 })
  })

  it("pushes nothing while it is paused, and continues where it stopped", async () => {
    const session = await greeted()
    const { id } = await create(`/v1/sessions/${session}`, "/four")
    const path = `/v1/sessions/${session}/channels/${id}`
    await app.post(`${path}/pause`, {})
    await app.converse(session, "What is for dinner?")
    await until(
      "the lane to be parked",
      async () =>
        (await server.database.sql`select 1 from lanes where channel_id = ${id} and status = 'parked'`).length === 1
    )
    assert.deepStrictEqual(at("/four"), [])
    await app.post(`${path}/resume`, {})
    await until("the missed events", () => at("/four").length === 3)
    assert.deepStrictEqual(cursorsAt("/four"), [2, 3, 4])
  })
})

describe("an app-wide channel", () => {
  const lanes = async (id: string) =>
    (
      await server.database
        .sql`select session_id, position::int from lanes where channel_id = ${id} order by session_id`
    ).map(({ session_id, position }) => ({ session_id, position }))
  const aligned = (id: string) =>
    until(
      "the channel to be aligned",
      async () =>
        (await server.database.sql`select 1 from channels where channel_id = ${id} and aligned_to is null`).length === 1
    )

  it("has a lane for every existing and every new session, and pushes a new session from its greeting", async () => {
    app = await server.createApp()
    const home = `/v1/apps/${app.appId}`
    const sessions = await Promise.all(Array.from({ length: 3 }, () => greeted()))
    const other = await server.createApp()
    await other.createSession()
    const { id, secret } = await create(home, "/app")
    await aligned(id)
    assert.deepStrictEqual(
      await lanes(id),
      sessions.toSorted().map((session_id) => ({ session_id, position: 1 }))
    )
    const next = await greeted()
    await until("its greeting", () => at("/app").length === 1)
    assert.deepInclude(JSON.parse(at("/app")[0]?.body.toString() ?? ""), {
      session_id: next,
      cursor: 1,
      type: "character.initiated"
    })
    assert.isTrue(at("/app").every((request) => isSignedWith(request, secret)))
    await until("the delivery view", async () => {
      const [delivery] = (await app.get(`/v1/sessions/${next}/delivery`)).body.data.deliveries
      return delivery.channel_id === id && delivery.outcome === "sent"
    })

    await app.post(`${home}/channels/${id}/replay`, { since: 0 })
    await until("every greeting", () => at("/app").length === 5)
    await app.post(`${home}/channels/${id}/test`, {})
    assert.deepInclude(JSON.parse(at("/app").at(-1)?.body.toString() ?? ""), {
      session_id: null,
      type: "channel.test"
    })

    assert.strictEqual((await app.delete(`${home}/channels/${id}`)).status, 200)
    assert.strictEqual((await app.get(`${home}/channels/${id}`)).status, 404)
    assert.deepStrictEqual((await app.get(`/v1/sessions/${next}/delivery`)).body.data.deliveries, [])
    await until(
      "its lanes to be gone",
      async () =>
        (await lanes(id)).length === 0 &&
        (await server.database.sql`select 1 from channels where channel_id = ${id}`).length === 0
    )
  })

  it("is attached to a great many sessions, and detached again, even if the jobs for it are lost", async () => {
    app = await server.createApp()
    const slug = await app.createCharacter()
    const person = "user-1"
    await app.createSession({ character_slug: slug, external_user_ref: person })
    const { sql } = server.database
    const ids = Array.from({ length: 1_200 }, () => newId("ses"))
    await sql`insert into sessions (app_id, session_id, character_slug, external_user_ref, proactive_controls,
      metadata) select ${app.appId}, id, ${slug}, ${person}, '{}', '{}' from unnest(${ids}::text[]) id`
    await sql`insert into session_logs (app_id, session_id) select ${app.appId}, id from unnest(${ids}::text[]) id`
    const home = `/v1/apps/${app.appId}`
    const { id } = await create(home, "/many")
    await aligned(id)
    assert.lengthOf(await lanes(id), 1_201)
    // Without lanes and without a job.
    await sql`delete from lanes where channel_id = ${id} and session_id = any(${ids.slice(600)}::text[])`
    await sql`update channels set generation = generation + 1, aligned_to = '' where channel_id = ${id}`
    await sql`select graphile_worker.add_job('realign')`
    await aligned(id)
    assert.lengthOf(await lanes(id), 1_201)
    await app.delete(`${home}/channels/${id}`)
    await until(
      "its lanes to be gone",
      async () =>
        (await lanes(id)).length === 0 && (await sql`select 1 from channels where channel_id = ${id}`).length === 0
    )
  })

  it("misses no session that is opened while it is being created", async () => {
    app = await server.createApp()
    const slug = await app.createCharacter()
    const open = () => app.createSession({ character_slug: slug })
    const [channel] = await Promise.all([create(`/v1/apps/${app.appId}`, "/race"), ...Array.from({ length: 30 }, open)])
    await aligned(channel.id)
    assert.lengthOf(await lanes(channel.id), 30)
  })
})
