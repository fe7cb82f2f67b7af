import { randomBytes } from "node:crypto"
import type { Client } from "@modelcontextprotocol/client"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as z from "zod"
import { eventType } from "#src/http/conversation/eventSchemas.ts"
import { createAccountIn } from "#test/support/accounts/createAccountIn.ts"
import { example } from "#test/support/sources/docs.ts"
import { connectMcp } from "#test/support/mcp/mcp.ts"
import { callEvents, converse, openEvents, refusalOf, saysIn } from "#test/support/mcp/mcpEvents.ts"
import { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"

const EVENTS = "io.modelcontextprotocol/events"

let server: TestServer
let app: TestApp
let client: Client
beforeAll(async () => {
  server = await startTestServer({ env: { REQUESTS_PER_MINUTE: "1000000", OUTBOUND_ALLOW: "127.0.0.1" } })
  app = await server.createApp()
  client = await connectMcp(app)
})
afterAll(async () => {
  await client.close()
  await server.close()
})

/** All pages until there is nothing more. */
const pollAll = async (by: Client, params: Record<string, unknown>) => {
  const events: Array<any> = []
  for (let cursor: unknown = "0"; ;) {
    const page = await callEvents(by, "poll", { ...params, cursor })
    events.push(...page.events)
    cursor = page.cursor
    if (!page.hasMore) return events
  }
}
const feedOf = async (by: TestApp) => (await by.get("/v1/events?limit=1000")).body.data.events

describe("events/list", () => {
  it.each(["legacy", "auto", { pin: "2026-07-28" }] as const)(
    "lists each type of event and the feed of all, with schemas and how each is delivered (%s)",
    async (mode) => {
      const reader = await connectMcp(app, { mode })
      assert.deepStrictEqual(reader.getServerCapabilities()?.extensions?.[EVENTS], { listChanged: false })
      const { events } = await callEvents(reader, "list")
      assert.deepStrictEqual(
        events.map(({ name }: { name: string }) => name),
        [...eventType.options, "feed"]
      )
      for (const { description, delivery, inputSchema, payloadSchema } of events) {
        assert.isAbove(description.length, 10)
        assert.deepStrictEqual(delivery, ["poll", "push"])
        assert.includeMembers(Object.keys(inputSchema.properties), ["character", "session"])
        assert.strictEqual(payloadSchema.properties.payload.type, "object")
      }
      const writer = await connectMcp(app, { mode, write: true })
      const written = (await callEvents(writer, "list")).events
      assert.deepStrictEqual(written[0].delivery, ["poll", "push", "webhook"])
      await Promise.all([reader.close(), writer.close()])
    }
  )
})

describe("events/poll", () => {
  it("gives the app's feed page by page, each event once, and then what is new", async () => {
    const session = await app.createSession({ character_slug: await app.createCharacter({ greeting: "Hello." }) })
    await converse(app, session, "What is for dinner?")
    const feed = await feedOf(app)
    const polled = await pollAll(client, { name: "feed", maxEvents: 2 })
    assert.deepStrictEqual(
      polled.map(({ data }) => data),
      feed
    )
    for (const { eventId, name, timestamp, data } of polled)
      assert.deepStrictEqual([eventId, name, timestamp], [data.id, data.type, data.created_at])
    // Without a cursor, a client begins with what comes next.
    const { cursor, events, truncated, hasMore, nextPollMs } = await callEvents(client, "poll", { name: "feed" })
    assert.deepStrictEqual([events, truncated, hasMore], [[], false, false])
    assert.isAbove(nextPollMs, 0)
    const reply = await converse(app, session, "And tomorrow?")
    const next = await callEvents(client, "poll", { name: "feed", cursor })
    assert.include(
      next.events.map(({ eventId }: { eventId: string }) => eventId),
      reply.id
    )
    // It is the cursor of the feed itself.
    assert.deepStrictEqual(
      (await app.get(`/v1/events?since=${cursor}`)).body.data.events,
      next.events.map(({ data }: { data: object }) => data)
    )
  })

  it("is filtered by type, character and session", async () => {
    const [first, second] = [await app.createCharacter({ greeting: "Hello." }), await app.createCharacter()]
    const sessions = [
      await app.createSession({ character_slug: first }),
      await app.createSession({ character_slug: first }),
      await app.createSession({ character_slug: second })
    ] as const
    for (const session of sessions) await converse(app, session, "What is for dinner?")
    const feed = await feedOf(app)
    const idsOf = (events: Array<any>) => events.map(({ id, eventId }) => eventId ?? id)
    for (const [name, args, fits] of [
      ["message.created", {}, (event: any) => event.type === "message.created"],
      [
        "character.initiated",
        { session: sessions[0] },
        (event: any) => event.type === "character.initiated" && event.session_id === sessions[0]
      ],
      ["feed", { character: first }, (event: any) => event.source_ref.character_slug === first],
      ["feed", { session: sessions[2] }, (event: any) => event.session_id === sessions[2]],
      [
        "feed",
        { types: ["message.created", "character.initiated"], character: first },
        (event: any) =>
          ["message.created", "character.initiated"].includes(event.type) && event.source_ref.character_slug === first
      ]
    ] as const) {
      const expected = idsOf(feed.filter(fits))
      assert.isNotEmpty(expected, name)
      assert.deepStrictEqual(idsOf(await pollAll(client, { name, arguments: args })), expected)
    }
  })

  it("takes the request that the docs show", async () => {
    const { method, params } = JSON.parse(example("mcp-events"))
    const poll = (cursor: string | null) => client.request({ method, params: { ...params, cursor } }, z.looseObject({}))
    const session = await app.createSession({ character_slug: await app.createCharacter({ slug: "mara" }) })
    const { cursor } = await poll(params.cursor)
    await converse(app, session, "What is for dinner?")
    const { events } = (await poll(cursor as string)) as { events: Array<any> }
    assert.deepStrictEqual(
      events.map(({ data }) => [data.session_id, data.role]),
      [
        [session, "user"],
        [session, "character"]
      ]
    )
  })

  it("leaves out events that are older than maxAgeMs, and says so", async () => {
    await converse(app, await app.createSession(), "What is for dinner?")
    const page = await callEvents(client, "poll", { name: "feed", cursor: "0", maxAgeMs: 0 })
    assert.deepStrictEqual([page.events, page.truncated], [[], true])
    const hour = await callEvents(client, "poll", { name: "feed", cursor: "0", maxAgeMs: 3_600_000 })
    assert.isNotEmpty(hour.events)
    assert.isFalse(hour.truncated)
  })

  it("refuses names, arguments and cursors that mean nothing, and says what to do", async () => {
    const refused = async (params: Record<string, unknown>) => {
      const { code, message, data } = await refusalOf(client, "poll", params)
      return { code, message, data }
    }
    assert.deepInclude(await refused({ name: "message.deleted" }), { code: -32011, data: { kind: "event" } })
    for (const params of [
      {},
      { name: "feed", arguments: { types: ["message.deleted"] } },
      { name: "feed", arguments: { charcter: "mara" } },
      { name: "feed", arguments: { session: "../me" } },
      { name: "message.created", arguments: { types: ["message.failed"] } },
      { name: "feed", cursor: "nonsense" },
      { name: "feed", maxEvents: 0 }
    ])
      assert.strictEqual((await refused(params)).code, -32602, JSON.stringify(params))
    assert.match((await refused({ name: "feed", cursor: "nonsense" })).message, /must be a cursor of the feed/)
  })

  it("gives nothing of another app", async () => {
    const other = await server.createApp()
    const slug = await other.createCharacter({ greeting: "Hello." })
    const session = await other.createSession({ character_slug: slug })
    await converse(other, session, "What is for dinner?")
    const { cursor } = await callEvents(client, "poll", { name: "feed" })
    for (const args of [{ session }, { character: slug }])
      assert.deepStrictEqual(await pollAll(client, { name: "feed", arguments: args }), [])
    // A cursor of another app's feed is only a place in time.
    const theirs = (await other.get("/v1/events?limit=1")).body.data.next_cursor
    const page = await callEvents(client, "poll", { name: "feed", cursor: theirs })
    for (const { data } of page.events) assert.notStrictEqual(data.session_id, session)
    assert.isString(cursor)
  })

  it("answers an expired cursor with an error that says where to start", async () => {
    const expired = await startTestServer({ env: { REQUESTS_PER_MINUTE: "1000000" } })
    const its = await expired.createApp()
    await converse(its, await its.createSession(), "What is for dinner?")
    const { cursor } = await callEvents(client, "poll", { name: "feed" })
    const reader = await connectMcp(its)
    // A cursor of another database.
    const { code, message, data } = await refusalOf(reader, "poll", { name: "feed", cursor })
    assert.strictEqual(code, -32602)
    assert.match(message, /Continue from since=/)
    assert.strictEqual(data.detail.code, "cursor_expired")
    const goOn = await callEvents(reader, "poll", { name: "feed", cursor: data.cursor })
    assert.deepStrictEqual(
      goOn.events.map(({ data: event }: any) => event),
      await feedOf(its)
    )
    const stream = openEvents(reader, { name: "feed", cursor })
    const refused = (await stream.ended) as { code: number; data: { cursor: string } }
    assert.deepStrictEqual([refused.code, refused.data.cursor], [-32602, data.cursor])
    // A client that knows the extension knows what truncated means.
    const knowing = await connectMcp(its, { extensions: { [EVENTS]: {} } })
    const page = await callEvents(knowing, "poll", { name: "feed", cursor })
    assert.deepInclude(page, { events: [], cursor: data.cursor, truncated: true, hasMore: true })
    await Promise.all([reader.close(), knowing.close()])
    await expired.close()
  })
})

describe("events/stream", () => {
  it.each(["legacy", { pin: "2026-07-28" }] as const)(
    "sends what happens as notifications, from a cursor or from now on, until it is closed (%s)",
    async (mode) => {
      const reader = await connectMcp(app, { mode })
      const session = await app.createSession()
      await converse(app, session, "What is for dinner?")
      const { cursor } = await callEvents(reader, "poll", { name: "feed" })
      const stream = openEvents(reader, { name: "feed", arguments: { session } })
      const active = await stream.next(({ kind }) => kind === "active")
      assert.deepInclude(active.params, { cursor, truncated: false })
      await converse(app, session, "And on Sunday?")
      const said = await stream.next((each) => saysIn(each).includes("Sunday"))
      assert.strictEqual(said.params.name, "message.created")
      await stream.next(({ kind, params }) => kind === "event" && params.data.role === "character")
      assert.notInclude(JSON.stringify(stream.heard), "dinner")
      stream.close()
      assert.instanceOf(await stream.ended, Error)
      // From the beginning, and each event once.
      const again = openEvents(reader, { name: "message.created", arguments: { session }, cursor: "0" })
      await again.next((each) => saysIn(each).includes("Sunday"))
      const ids = again.heard.filter(({ kind }) => kind === "event").map(({ params }) => params.eventId)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.include(JSON.stringify(again.heard), "dinner")
      again.close()
      await again.ended
      await reader.close()
    }
  )

  it("loses nothing for a client that returns with the cursor of the last event", async () => {
    const session = await app.createSession()
    const stream = openEvents(client, { name: "feed", arguments: { session } })
    await stream.next(({ kind }) => kind === "active")
    await converse(app, session, "One")
    const last = await stream.next(({ kind, params }) => kind === "event" && params.data.role === "character")
    stream.close()
    await stream.ended
    await converse(app, session, "Two")
    const again = openEvents(client, { name: "feed", arguments: { session }, cursor: last.params.cursor })
    await again.next((each) => saysIn(each).includes("Two"))
    again.close()
    await again.ended
    const heard = new Set([...stream.heard, ...again.heard].map(({ params }) => params.eventId))
    const written = (await app.events(session)).filter(({ role }) => role === "user")
    assert.lengthOf(written, 2)
    for (const { id } of written) assert.isTrue(heard.has(id))
  })

  it("names its request in each notification, and is a stream of server-sent events", async () => {
    const { body, headers } = await fetch(`${server.baseUrl}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${app.key}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 77, method: "events/stream", params: { name: "feed" } })
    })
    assert.match(headers.get("content-type") ?? "", /^text\/event-stream/)
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    while (!text.includes("notifications/events/active")) text += (await reader.read()).value ?? ""
    const { params } = JSON.parse(text.split("data: ").at(-1)!)
    assert.strictEqual(params["_meta"]["io.modelcontextprotocol/subscriptionId"], 77)
    await reader.cancel()
  })

  it("ends as soon as the key is revoked, and says so", async () => {
    const { client: owner } = await createAccountIn(server)
    const { app_id } = (await owner.post("/v1/account/apps", { name: "short-lived" })).body.data
    const key = (await owner.post(`/v1/account/apps/${app_id}/api-keys`, { name: "backend" })).body.data
    const reader = await connectMcp(new TestApp(server.baseUrl, app_id, key.api_key))
    const stream = openEvents(reader, { name: "feed" })
    await stream.next(({ kind }) => kind === "active")
    await owner.post(`/v1/account/apps/${app_id}/api-keys/${key.prefix}/revoke`, {})
    const { params } = await stream.next(({ kind }) => kind === "terminated")
    assert.strictEqual(params.error.code, -32012)
    assert.strictEqual(await stream.ended, "ended")
    await reader.close().catch(() => {})
  })
})

describe("events/subscribe without writes", () => {
  it("is refused as not offered, and so is events/unsubscribe", async () => {
    const delivery = { url: "https://127.0.0.1:1/hook", secret: `whsec_${randomBytes(32).toString("base64")}` }
    for (const method of ["subscribe", "unsubscribe"] as const) {
      const { code, message, data } = await refusalOf(client, method, { name: "feed", delivery })
      assert.deepStrictEqual([code, data], [-32014, { feature: "deliveryMode", value: "webhook" }])
      assert.match(message, /write=1.*--allow-write/)
    }
    assert.deepStrictEqual((await app.get(`/v1/apps/${app.appId}/channels`)).body.data.channels, [])
  })
})
