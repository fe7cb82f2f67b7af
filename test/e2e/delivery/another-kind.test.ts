import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import type { Delivery, Part } from "#channels/Channel.ts"
import { WEBHOOK } from "#channels/webhook/webhookKind.ts"
import { PUSH_KINDS } from "#src/composition/pushKinds.ts"
import { channelData } from "#src/http/delivery/channelSchemas.ts"
import { makeRoomChannel, ROOM } from "#test/channels/room/RoomChannel.ts"
import { type Answering, type Received, type Receiver, startReceiver, status } from "#test/support/Receiver.ts"
import type { TestApp } from "#test/support/TestApp.ts"
import { startTestServer, type TestServer } from "#test/support/TestServer.ts"
import { until } from "#test/support/until.ts"

const BUBBLES = ["There you are.", "Come in, mind the step.", "The soup is hot."]
const TOKEN = "token"

/** How often each event has been opened. */
const opened = new Map<string, number>()
/** Parts for which the room is briefly busy, once each. */
const busyBefore = new Set<number>()
const makeCounted = Effect.map(makeRoomChannel, (channel) => ({
  ...channel,
  open: (delivery: Delivery) => {
    opened.set(delivery.eventId, (opened.get(delivery.eventId) ?? 0) + 1)
    return channel.open(delivery)
  },
  admit: (part: Part) =>
    busyBefore.delete(part.part) ? Effect.succeed({ after: Duration.millis(700) }) : channel.admit(part)
}))

/** A messenger that needs no pacing, and still gets one message for each bubble. */
const HALL = { ...ROOM, name: "hall" } as const
const makeUnpaced = Effect.map(makeRoomChannel, ({ open, deliver, retry, afterUnknown }) => ({
  kind: HALL,
  open,
  deliver,
  retry,
  afterUnknown
}))

let server: TestServer
let receiver: Receiver
let app: TestApp
let home: string
/** What the room does instead of accepting a message, once each. */
const refusals: Array<Answering> = []
const tokens: Array<string | null> = []
const taken: Array<{ readonly room: string; readonly content: string; readonly username?: string }> = []
const answer: Answering = (response, request: Received) => {
  tokens.push(request.headers.authorization ?? null)
  const refusal = refusals.shift()
  if (refusal !== undefined) return refusal(response, request)
  taken.push(JSON.parse(request.body.toString("utf8")))
  status(204)(response, request)
}
beforeAll(async () => {
  receiver = await startReceiver(answer)
  server = await startTestServer({
    env: { OUTBOUND_ALLOW: "127.0.0.1" },
    pushKinds: [...PUSH_KINDS, { kind: ROOM, make: makeCounted }, { kind: HALL, make: makeUnpaced }]
  })
  app = await server.createApp()
  home = `/v1/apps/${app.appId}/channels`
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

const create = (fields: object = {}) =>
  app.post(home, { kind: "room", url: receiver.url, room: "lobby", secret: TOKEN, ...fields })
const greeted = async () =>
  app.createSession({ character_slug: await app.createCharacter({ greeting: { bubbles: BUBBLES } }) })
const greetingSent = (session: string) =>
  until("the greeting to be delivered", async () => {
    const { deliveries } = (await app.get(`/v1/sessions/${session}/delivery`)).body.data
    return deliveries.find((each: { outcome: string }) => each.outcome === "sent")
  })
const greetingOf = async (session: string) => (await app.events(session))[0]?.id ?? ""

describe("a push channel kind made of one module and one list entry", () => {
  let channel: string

  it("is created with its own configuration, can be tested, and refuses what its Schema does not accept", async () => {
    const created = await create({ username: "Mara" })
    assert.strictEqual(created.status, 200, JSON.stringify(created.body))
    assert.deepInclude(created.body.data, { kind: "room", room: "lobby", username: "Mara", status: "active" })
    assert.notProperty(created.body.data, "retry_schedule")
    assert.notProperty(created.body.data, "secret")
    channel = created.body.data.id

    assert.deepInclude((await app.post(`${home}/${channel}/test`, {})).body.data, { outcome: "sent", status_code: 204 })
    assert.deepStrictEqual(taken.splice(0), [{ room: "lobby", content: "This room is connected.", username: "Mara" }])

    const long = await create({ username: "m".repeat(81) })
    assert.strictEqual(long.status, 422)
    assert.include(long.body.detail.message, "body.username: Too big")
    const foreign = await app.patch(`${home}/${channel}`, { retry_schedule: [1] })
    assert.strictEqual(foreign.status, 422)
    assert.include(foreign.body.detail.message, "retry_schedule")
    assert.isNull((await app.patch(`${home}/${channel}`, { username: null })).body.data.username)
    assert.strictEqual((await create({ kind: "carrier-pigeon" })).status, 422)
  })

  it("sends the token that the app was given by the messenger, which is never shown and never created", async () => {
    const missing = await create({ secret: undefined })
    assert.strictEqual(missing.status, 422)
    assert.include(missing.body.detail.message, "body.secret")
    const path = `${home}/${channel}`
    const rotated = await app.patch(path, { secret: "rotate" })
    assert.strictEqual(rotated.status, 422)
    assert.include(rotated.body.detail.message, "body.secret: The secret of this channel is a token of the receiver")
    assert.strictEqual(rotated.body.detail.fix, "Create a new token at the receiver, and send it as secret.")
    assert.strictEqual((await app.patch(path, { secret: "two words" })).status, 422)

    const replaced = await app.patch(path, { secret: "syt_2" })
    assert.strictEqual(replaced.status, 200, JSON.stringify(replaced.body))
    assert.notProperty(replaced.body.data, "secret")
    tokens.splice(0)
    await app.post(`${path}/test`, {})
    assert.deepStrictEqual([tokens, taken.splice(0).length], [["Bearer syt_2"], 1])
  })

  it("needs a field that channels of other kinds do not have, in the API and in its document", async () => {
    const without = await create({ room: undefined })
    assert.strictEqual(without.status, 422)
    assert.include(without.body.detail.message, "body.room")
    const cleared = await app.patch(`${home}/${channel}`, { room: null })
    assert.strictEqual(cleared.status, 422)
    assert.include(cleared.body.detail.message, "body.room")

    const webhook = await create({
      kind: "webhook",
      room: undefined,
      secret: undefined,
      retry_schedule: [5],
      events: ["session.exited"]
    })
    assert.strictEqual(webhook.status, 200, JSON.stringify(webhook.body))
    assert.deepStrictEqual(webhook.body.data.retry_schedule, [5])
    assert.notProperty(webhook.body.data, "room")
    const listed: ReadonlyArray<{ kind: string; room?: string }> = (await app.get(home)).body.data.channels
    assert.sameDeepMembers(
      listed.map(({ kind, room }) => [kind, room]),
      [
        ["room", "lobby"],
        ["webhook", undefined]
      ]
    )
    const { required = [], properties } = z.toJSONSchema(channelData([WEBHOOK, ROOM]), { io: "output" })
    assert.property(properties, "room")
    assert.include(required, "kind")
    assert.notInclude(required, "room")
  })

  it("delivers each bubble as a message, in order and once, and renders the event once", async () => {
    const session = await greeted()
    await greetingSent(session)
    assert.deepStrictEqual(
      taken.splice(0).map(({ content }) => content),
      BUBBLES
    )
    assert.strictEqual(opened.get(await greetingOf(session)), 1)
  })

  it("is pending in the delivery view until its last bubble has arrived, even if its lane is released", async () => {
    busyBefore.add(1)
    const session = await greeted()
    await greetingSent(session)
    assert.deepStrictEqual(
      taken.splice(0).map(({ content }) => content),
      BUBBLES
    )
    assert.strictEqual(opened.get(await greetingOf(session)), 2)
  })

  it("waits as long as the receiver asks with a 429, and sends no bubble twice", async () => {
    refusals.push(status(429, { "retry-after": "1" }))
    const session = await greeted()
    const delivery = await greetingSent(session)
    assert.isAtLeast(delivery.attempts, BUBBLES.length + 1)
    assert.deepStrictEqual(
      taken.splice(0).map(({ content }) => content),
      BUBBLES
    )
    const list = (await app.get(`/v1/sessions/${session}/delivery/${delivery.id}`)).body.data.attempt_list
    assert.isTrue(list.some((each: { status_code: number }) => each.status_code === 429))
  })

  it("needs no admission to send one message for each bubble", async () => {
    const session = await greeted()
    const { status: created } = await app.post(`/v1/sessions/${session}/channels`, {
      kind: "hall",
      url: receiver.url,
      room: "hall",
      secret: TOKEN,
      from: "start"
    })
    assert.strictEqual(created, 200)
    const inTheHall = await until("each bubble in the hall", () => {
      const messages = taken.filter(({ room }) => room === "hall")
      return Promise.resolve(messages.length >= BUBBLES.length && messages)
    })
    assert.deepStrictEqual(
      inTheHall.map(({ content }) => content),
      BUBBLES
    )
  })

  it("has its own rule in the proactive policy", async () => {
    const policy = `/v1/apps/${app.appId}/proactive-policy`
    const changed = await app.patch(policy, { channel_policy: { channels: { room: { allow: false } } } })
    assert.strictEqual(changed.status, 200, JSON.stringify(changed.body))
    assert.isFalse(changed.body.data.channel_policy.channels.room.allow)
    assert.isUndefined(changed.body.data.ignored_fields)
  })
})
