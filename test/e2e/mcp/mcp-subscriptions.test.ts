import { randomBytes } from "node:crypto"
import type { Client } from "@modelcontextprotocol/client"
import { Webhook } from "standardwebhooks"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { connectMcp } from "#test/support/mcp/mcp.ts"
import { callEvents, confirm, converse, refusalOf } from "#test/support/mcp/mcpEvents.ts"
import {
  type Answering,
  hang,
  type Received,
  type Receiver,
  reset,
  startReceiver,
  status
} from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"
import { assertSince } from "#test/support/assertSince.ts"

const HOUR_MS = 3_600_000

let server: TestServer
let app: TestApp
let client: Client
beforeAll(async () => {
  server = await startTestServer({ env: { OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
  client = await connectMcp(app, { write: true })
})
afterAll(async () => {
  await client.close()
  await server.close()
})

const newSecret = () => `whsec_${randomBytes(32).toString("base64")}`
const bodyOf = ({ body }: Received) => JSON.parse(body.toString())
const isVerification = (request: Received): boolean => bodyOf(request).type === "verification"

/** A receiver that confirms each subscription, and answers events with this status. */
const receive = async <A>(answer: number, use: (receiver: Receiver) => Promise<A>): Promise<A> => {
  const receiver = await startReceiver((response, request) =>
    (isVerification(request) ? confirm : status(answer))(response, request)
  )
  return use(receiver).finally(receiver.close)
}
/** Verified as any receiver of Standard Webhooks does. */
const verified = (request: Received, secret: string): any =>
  new Webhook(secret).verify(request.body.toString(), request.headers as Record<string, string>)
const channels = async (by = app) => (await by.get(`/v1/apps/${by.appId}/channels`)).body.data.channels

describe("events/subscribe", () => {
  it("pushes each event in the form of the extension, signed, until events/unsubscribe", () =>
    receive(200, async (receiver) => {
      const session = await app.createSession()
      await converse(app, session, "Before")
      const secret = newSecret()
      const delivery = { mode: "webhook", url: receiver.url, secret }
      const { cursor: now } = await callEvents(client, "poll", { name: "feed" })
      const from = Date.now()
      const subscribed = await callEvents(client, "subscribe", { name: "message.created", delivery, ttlMs: HOUR_MS })
      assert.match(subscribed.id, /^sub_[0-9a-f]{32}$/)
      assert.deepInclude(subscribed, { cursor: now, truncated: false })
      assertSince(subscribed.refreshBefore, from, HOUR_MS)
      const [channel, ...others] = await channels()
      assert.deepInclude(channel, { kind: "webhook", events: ["message.created"], mcp_subscription: subscribed.id })
      assert.isEmpty(others)

      const reply = await converse(app, session, "After")
      const [first, second] = [await receiver.received(1), await receiver.received(2)]
      assert.strictEqual(first.headers["x-mcp-subscription-id"], subscribed.id)
      const { eventId, name, timestamp, data } = verified(first, secret)
      assert.deepStrictEqual([eventId, name, timestamp], [data.id, "message.created", data.created_at])
      assert.strictEqual(eventId, first.headers["webhook-id"])
      assert.include(JSON.stringify(data.payload), "After")
      assert.strictEqual(verified(second, secret).eventId, reply.id)
      // The log, a poll and a webhook show the same event.
      const polled = await callEvents(client, "poll", { name: "message.created", cursor: now })
      assert.deepStrictEqual(polled.events[0].data, data)

      const unsubscribed = { url: receiver.url }
      await callEvents(client, "unsubscribe", { name: "message.created", delivery: unsubscribed })
      assert.isEmpty(await channels())
      await converse(app, session, "Gone")
      assert.notInclude(receiver.requests.map(({ body }) => body.toString()).join(), "Gone")
      const again = await refusalOf(client, "unsubscribe", { name: "message.created", delivery: unsubscribed })
      assert.deepStrictEqual([again.code, again.data], [-32011, { kind: "subscription" }])
    }))

  it("asks the address for a signed challenge before the first event, and once for each address", () =>
    receive(200, async (receiver) => {
      const secret = newSecret()
      const delivery = { url: receiver.url, secret }
      const { id } = await callEvents(client, "subscribe", { name: "feed", delivery })
      const request = await receiver.received(0)
      const { type, challenge, ...others } = verified(request, secret)
      assert.deepStrictEqual([type, others], ["verification", {}])
      assert.match(challenge, /^[\w-]{43}$/)
      assert.strictEqual(request.headers["x-mcp-subscription-id"], id)
      assert.match(String(request.headers["webhook-id"]), /^msg_verification_/)
      await callEvents(client, "subscribe", { name: "feed", delivery: { ...delivery, secret: newSecret() } })
      assert.lengthOf(receiver.requests, 1)
      await callEvents(client, "unsubscribe", { name: "feed", delivery })
    }))

  it.each<readonly [string, string, Answering]>([
    ["answers with a challenge of its own", "challenge_failed", status(200, {}, '{"challenge":"mine"}')],
    ["answers without a challenge", "challenge_failed", status(200, {}, "null")],
    ["answers with no JSON", "challenge_failed", status(200, {}, "ok")],
    ["refuses", "http_4xx", status(403)],
    ["fails", "http_5xx", status(500)],
    ["redirects", "http_3xx", status(307, { location: "https://example.com/" })],
    ["closes the connection", "connection_refused", reset],
    ["never answers", "timeout", hang]
  ])("creates nothing if the address %s, and says %s", async (_, reason, answering) => {
    const receiver = await startReceiver(answering)
    const delivery = { url: receiver.url, secret: newSecret() }
    const { code, data } = await refusalOf(client, "subscribe", { name: "feed", delivery })
    await receiver.close()
    assert.deepStrictEqual([code, data.reason, data.detail.code], [-32015, reason, "channel_unverified"])
    assert.isEmpty(await channels())
  })

  it("is the same subscription when it is repeated, with a new secret, a new end and another try", () =>
    receive(410, async (receiver) => {
      const session = await app.createSession()
      const [old, next] = [newSecret(), newSecret()]
      const subscribe = (fields: object, secret: string) =>
        callEvents(client, "subscribe", { name: "feed", delivery: { url: receiver.url, secret }, ...fields })
      const first = await subscribe({ ttlMs: null }, old)
      assert.isNull(first.refreshBefore)
      await converse(app, session, "Hello?")
      await until("the channel to be disabled", async () => (await channels())[0].status === "disabled")
      const { cursor } = await callEvents(client, "poll", { name: "feed" })
      const count = receiver.requests.length
      const second = await subscribe({ cursor }, next)
      assert.deepInclude(second, { id: first.id, cursor, truncated: false })
      // Without a suggestion there is an end.
      assert.isAbove(Date.parse(second.refreshBefore), Date.now())
      assert.lengthOf(await channels(), 1)
      const request = await receiver.received(count)
      for (const secret of [old, next]) assert.strictEqual(verified(request, secret).data.session_id, session)
      await callEvents(client, "unsubscribe", { name: "feed", delivery: { url: receiver.url } })
    }))

  it("asks a changed address for a challenge before anything else, and changes nothing if it does not confirm", () =>
    receive(200, async (receiver) => {
      const [secret, next] = [newSecret(), newSecret()]
      const { id } = await callEvents(client, "subscribe", { name: "feed", delivery: { url: receiver.url, secret } })
      const [before] = await channels()
      const path = `/v1/apps/${app.appId}/channels/${before.id}`
      const session = await app.createSession()

      const stranger = await startReceiver(status(200))
      const refused = await app.patch(path, { url: stranger.url, secret: next })
      assert.deepInclude(refused.body.detail, { code: "channel_unverified", reason: "challenge_failed" })
      assert.deepInclude(verified(await stranger.received(0), next), { type: "verification" })
      assert.deepStrictEqual(await channels(), [before])
      await converse(app, session, "Hello?")
      verified(await receiver.received(1), secret)
      assert.lengthOf(stranger.requests, 1)
      await stranger.close()

      await receive(200, async (other) => {
        assert.strictEqual((await app.patch(path, { url: other.url })).status, 200)
        const request = await other.received(0)
        assert.deepInclude(verified(request, secret), { type: "verification" })
        assert.strictEqual(request.headers["x-mcp-subscription-id"], id)
        // What is already confirmed is not asked again.
        assert.strictEqual((await app.patch(path, { url: other.url, events: null })).status, 200)
        await converse(app, session, "And here?")
        assert.match(verified(await other.received(1), secret).eventId, /^evt_/)
        assert.lengthOf(other.requests.filter(isVerification), 1)
      })

      // The subscription names its address, so it leads there again.
      await callEvents(client, "subscribe", { name: "feed", delivery: { url: receiver.url, secret } })
      assert.lengthOf(receiver.requests.filter(isVerification), 2)
      await callEvents(client, "unsubscribe", { name: "feed", delivery: { url: receiver.url } })
    }))

  it("asks the address of a webhook that becomes a subscription, or another one", () =>
    receive(200, async (receiver) => {
      const path = `/v1/apps/${app.appId}/channels`
      const { id, secret } = (await app.post(path, { kind: "webhook", url: receiver.url })).body.data
      const subscriptions = [`sub_${"0".repeat(32)}`, `sub_${"1".repeat(32)}`]
      for (const [index, mcp_subscription] of subscriptions.entries()) {
        assert.strictEqual((await app.patch(`${path}/${id}`, { mcp_subscription })).status, 200)
        const request = await receiver.received(index)
        assert.deepInclude(verified(request, secret), { type: "verification" })
        assert.strictEqual(request.headers["x-mcp-subscription-id"], mcp_subscription)
      }
      const stranger = await startReceiver(status(200))
      await app.patch(`${path}/${id}`, { mcp_subscription: null })
      assert.strictEqual((await app.patch(`${path}/${id}`, { url: stranger.url })).status, 200)
      assert.isEmpty(stranger.requests)
      const refused = await app.patch(`${path}/${id}`, { mcp_subscription: subscriptions[0] })
      assert.strictEqual(refused.body.detail.code, "channel_unverified")
      await stranger.close()
      await app.delete(`${path}/${id}`)
    }))

  it("confirms what results if two changes of a channel meet", () =>
    receive(200, async (receiver) => {
      const path = `/v1/apps/${app.appId}/channels`
      const { id } = (await app.post(path, { kind: "webhook", url: receiver.url })).body.data
      const stranger = await startReceiver(status(200))
      const meeting = await startReceiver(async (response, request) => {
        // While the address confirms, it is replaced with one that does not.
        await app.patch(`${path}/${id}`, { url: stranger.url })
        confirm(response, request)
      })
      await app.patch(`${path}/${id}`, { url: meeting.url })
      const refused = await app.patch(`${path}/${id}`, { mcp_subscription: `sub_${"2".repeat(32)}` })
      assert.strictEqual(refused.body.detail.code, "channel_unverified")
      assert.isNull((await channels())[0].mcp_subscription)
      for (const one of [meeting, stranger]) await one.close()
      await app.delete(`${path}/${id}`)
    }))

  it("retries and counts failures like any webhook", () =>
    receive(503, async (receiver) => {
      const session = await app.createSession()
      const delivery = { url: receiver.url, secret: newSecret() }
      await callEvents(client, "subscribe", { name: "feed", arguments: { types: ["message.created"] }, delivery })
      await app.send(session, "Hello?")
      const [once, twice] = [await receiver.received(1), await receiver.received(2)]
      assert.strictEqual(once.headers["webhook-id"], twice.headers["webhook-id"])
      assert.strictEqual(bodyOf(once).eventId, bodyOf(twice).eventId)
      await until("the failures to be counted", async () => (await channels())[0].consecutive_failures >= 1)
      await callEvents(client, "unsubscribe", { name: "feed", arguments: { types: ["message.created"] }, delivery })
    }))

  it("ends when it is not repeated in time", () =>
    receive(200, async (receiver) => {
      const { sql } = server.database
      const past = JSON.stringify({ expires_at: "2026-01-01T00:00:00.000Z" })
      const end = (channel: string) => sql`
        update channels set config = config || ${past}::text::jsonb, version = version + 1
        where channel_id = ${channel}`
      const delivery = { url: receiver.url, secret: newSecret() }
      const { refreshBefore } = await callEvents(client, "subscribe", { name: "feed", delivery, ttlMs: 1 })
      // A shorter time than a minute is taken for a minute.
      assert.isAbove(Date.parse(refreshBefore), Date.now() + 30_000)
      const [{ id }] = await channels()
      await end(id)
      await sql`select graphile_worker.add_job('expire-channels')`
      await until("the channel to be deleted", async () => (await channels()).length === 0)
      // One that has ended, but is not deleted yet, begins again as a new one.
      await callEvents(client, "subscribe", { name: "feed", delivery })
      const [one] = await channels()
      await end(one.id)
      await callEvents(client, "subscribe", { name: "feed", delivery })
      const [another, ...rest] = await channels()
      assert.isEmpty(rest)
      assert.notStrictEqual(another.id, one.id)
      await callEvents(client, "unsubscribe", { name: "feed", delivery })
    }))

  it("begins with the oldest event if it is asked to, and says when it can't begin where it is asked to", () =>
    receive(200, async (receiver) => {
      const own = await server.createApp()
      const writer = await connectMcp(own, { write: true })
      const session = await own.createSession({ character_slug: await own.createCharacter({ greeting: "Hello." }) })
      const delivery = { url: receiver.url, secret: newSecret() }
      const all = await callEvents(writer, "subscribe", { name: "feed", cursor: "0", delivery })
      assert.deepInclude(all, { cursor: "0", truncated: false })
      assert.strictEqual(bodyOf(await receiver.received(1)).data.session_id, session)
      await callEvents(writer, "unsubscribe", { name: "feed", delivery })
      await converse(own, session, "Hello!")
      const past = (await own.get("/v1/events?limit=1")).body.data.next_cursor
      const late = await callEvents(writer, "subscribe", { name: "message.failed", cursor: past, delivery })
      assert.isTrue(late.truncated)
      assert.notStrictEqual(late.cursor, past)
      await writer.close()
    }))

  it("refuses what a webhook can't be, with the reason", () =>
    receive(200, async (receiver) => {
      const delivery = { url: receiver.url, secret: newSecret() }
      const refused = async (params: Record<string, unknown>) => {
        const { code, data } = await refusalOf(client, "subscribe", params)
        return { code, data }
      }
      for (const secret of [undefined, "whsec_short", randomBytes(32).toString("base64"), `whsec_${"!".repeat(44)}`])
        assert.strictEqual((await refused({ name: "feed", delivery: { ...delivery, secret } })).code, -32602, secret)
      for (const url of ["http://example.com/hook", "https://10.0.0.1/hook", "nonsense"]) {
        const { code, data } = await refused({ name: "feed", delivery: { ...delivery, url } })
        assert.deepStrictEqual([code, data.detail.code], [-32602, "channel_url_rejected"], url)
      }
      for (const [argument, value] of [
        ["character", "mara"],
        ["session", "ses_1"]
      ] as const)
        assert.deepStrictEqual(await refused({ name: "feed", arguments: { [argument]: value }, delivery }), {
          code: -32014,
          data: { feature: "argument", value: argument }
        })
      assert.strictEqual((await refused({ name: "message.deleted", delivery })).code, -32011)
      for (const type of ["image.ready", "message.failed", "session.exited", "bot.active", "chat.blocked"])
        await callEvents(client, "subscribe", { name: type, delivery })
      const { code, data } = await refused({ name: "feed", delivery })
      assert.deepStrictEqual([code, data.detail.code], [-32013, "channel_limit_reached"])
      for (const { id } of await channels()) await app.delete(`/v1/apps/${app.appId}/channels/${id}`)
    }))

  it("is each app's own: another app with the same address has another one, and can't end this one", () =>
    receive(200, async (receiver) => {
      const other = await server.createApp()
      const theirs = await connectMcp(other, { write: true })
      const params = { name: "feed", delivery: { url: receiver.url, secret: newSecret() } }
      const { id } = await callEvents(client, "subscribe", params)
      assert.strictEqual((await refusalOf(theirs, "unsubscribe", params)).code, -32011)
      assert.notStrictEqual((await callEvents(theirs, "subscribe", params)).id, id)
      await callEvents(theirs, "unsubscribe", params)
      assert.isEmpty(await channels(other))
      assert.lengthOf(await channels(), 1)
      await callEvents(client, "unsubscribe", params)
      await theirs.close()
    }))
})
