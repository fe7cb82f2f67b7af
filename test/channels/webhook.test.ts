import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import type { Attempt, Delivery } from "#channels/Channel.ts"
import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { LookUp, Unresolved } from "#channels/outbound/LookUp.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { makeWebhookChannel } from "#channels/webhook/WebhookChannel.ts"
import { Endpoints, EndpointsUnavailable } from "#channels/Endpoints.ts"
import packageJson from "../../package.json" with { type: "json" }
import {
  type Answering,
  drip,
  hang,
  raw,
  rawThenClose,
  type Receiver,
  reset,
  startReceiver,
  status
} from "#test/support/Receiver.ts"
import { ASKED, type Behaviour, itKeepsTheContract } from "./contract.ts"
import { push } from "#test/support/conversation/push.ts"

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const EVENT = `{"cursor":7,"type":"message.created"}`

const deliveryOf = (event: string): Delivery => ({
  appId: "app_1",
  sessionId: "ses_1",
  channelId: "chn_1",
  channelVersion: 3,
  cursor: 7,
  eventId: "evt_01",
  type: "message.created",
  event
})

const channelTo = Effect.fnUntraced(function* (get: Endpoints["Service"]["get"], outboundAllow = "127.0.0.1") {
  const list = parseAllowList(outboundAllow)
  if ("bad" in list) return yield* Effect.die(new Error(list.bad))
  const context = yield* Layer.build(Outbound.layer(list).pipe(Layer.merge(Layer.succeed(Endpoints, { get }))))
  return yield* makeWebhookChannel.pipe(Effect.provide(context))
})

const receiverThat = (answering: Answering) =>
  Effect.acquireRelease(
    Effect.promise(() => startReceiver(answering)),
    (receiver) => Effect.promise(() => receiver.close())
  )

const harness = Effect.fnUntraced(function* (answering: Answering) {
  const receiver = yield* receiverThat(answering)
  const channel = yield* channelTo(() =>
    Effect.succeed({ url: Redacted.make(receiver.url), secrets: [Redacted.make(SECRET)], config: {} })
  )
  return { receiver, channel }
})

const ANSWERS = {
  "takes it": status(204),
  "refuses for now": status(500),
  "asks to wait": status(429, { "retry-after": String(Duration.toSeconds(ASKED)) }),
  "drops after taking": reset,
  "is not there": status(200),
  "is gone": status(410),
  hangs: hang
} as const satisfies Record<Behaviour, Answering>

itKeepsTheContract(
  Effect.fnUntraced(function* (behaviour) {
    const { receiver, channel } = yield* harness(ANSWERS[behaviour])
    if (behaviour === "is not there") yield* Effect.promise(() => receiver.close())
    return {
      channel,
      delivery: deliveryOf,
      rendered: ({ event }) => event,
      arrivals: () =>
        receiver.requests.map(({ headers, body }) => ({
          id: String(headers["webhook-id"]),
          body: body.toString("utf8")
        })),
      arrived: async (count) => {
        await receiver.received(count - 1)
      }
    }
  })
)

const codeOf = (attempt: Attempt) => ("errorCode" in attempt ? `${attempt._tag} ${attempt.errorCode}` : attempt._tag)

describe.concurrent("an answer", () => {
  const chunk = (bytes: string) => `HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n${bytes}`

  it.effect.each([
    ["of 200", status(200, {}, "thank you"), "Sent"],
    ["of 204", status(204), "Sent"],
    ["of 299", status(299), "Sent"],
    ["of 200 that is cut off", rawThenClose(chunk("than")), "Sent"],
    ["of 200 with 2 MB", status(200, {}, Buffer.alloc(2_000_000, "a")), "Sent"],
    ["of 400", status(400), "NotSent http_400"],
    ["of 404", status(404), "NotSent http_404"],
    ["of 500 with 2 MB", status(500, {}, Buffer.alloc(2_000_000, "a")), "NotSent http_500"],
    ["of 410", status(410), "Gone http_410"],
    ["that is not HTTP", reset, "Unknown reset"],
    ["that is cut off in its headers", rawThenClose("HTTP/1.1 20"), "Unknown reset"],
    ["with oversized headers", raw(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(20_000)}`), "Unknown bad_response"]
  ] as const)("%s has the right outcome", ([, answering, expected]) =>
    Effect.gen(function* () {
      const { receiver, channel } = yield* harness(answering)
      const attempt = yield* push(channel, deliveryOf(EVENT))
      assert.strictEqual(codeOf(attempt), expected)
      assert.lengthOf(receiver.requests, 1)
      assert.deepInclude(receiver.requests[0], { method: "POST", path: "/hook" })
    })
  )

  it.effect.each([301, 302, 303, 307, 308])("with status %i is not followed", (code) =>
    Effect.gen(function* () {
      const elsewhere = yield* receiverThat(status(200))
      for (const location of [elsewhere.url, "http://169.254.169.254/latest/meta-data/"]) {
        const { channel } = yield* harness(status(code, { location }))
        assert.strictEqual(codeOf(yield* push(channel, deliveryOf(EVENT))), "NotSent redirect")
      }
      assert.deepStrictEqual(elsewhere.requests, [])
    })
  )

  it.effect.each([429, 502, 504])("with status %i does not pause the whole endpoint", (code) =>
    Effect.gen(function* () {
      const { channel } = yield* harness(status(code))
      const attempt = yield* push(channel, deliveryOf(EVENT))
      assert.deepInclude(attempt, { _tag: "NotSent", errorCode: `http_${code}`, throttle: true, retryAfter: null })
    })
  )

  it.effect.each([
    ["in seconds", "120", 120],
    ["as a date", "Thu, 01 Jan 1970 00:01:40 GMT", 40],
    ["as a date that has passed", "Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["as an extremely large number", "99999999999999999999", 86_400],
    ["as a decimal", "1.5", null],
    ["as a negative number", "-5", null],
    ["as a word", "later", null]
  ] as const)("may contain a retry time: %s", ([, header, seconds]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      const { channel } = yield* harness(status(503, { "retry-after": header }))
      const attempt = yield* push(channel, deliveryOf(EVENT))
      assert.isTrue(attempt._tag === "NotSent" && !attempt.throttle)
      assert.strictEqual(
        attempt._tag === "NotSent" && attempt.retryAfter !== null ? Duration.toSeconds(attempt.retryAfter) : null,
        seconds
      )
    })
  )

  it.effect.each([
    ["whole", Buffer.from("thank you"), "thank you"],
    ["up to 8 KiB", Buffer.alloc(2_000_000, "a"), "a".repeat(8192)],
    ["without characters that the database cannot store", Buffer.from("a\0b"), "a\ufffdb"],
    ["with invalid UTF-8 replaced, still within 8 KiB", Buffer.alloc(9000, 0xff), "\ufffd".repeat(2730)],
    ["without half a character at its end", Buffer.from("é".repeat(5000).replace("é", "e")), `e${"é".repeat(4095)}`]
  ] as const)("is kept %s", ([, body, kept]) =>
    Effect.gen(function* () {
      const { channel } = yield* harness(status(200, {}, body))
      const { answer } = yield* push(channel, deliveryOf(EVENT))
      assert.strictEqual(answer, kept)
    })
  )

  it.effect("of 2 MB is not read to the end", () =>
    Effect.gen(function* () {
      const { receiver, channel } = yield* harness(
        drip(`HTTP/1.1 200 OK\r\ncontent-length: 2000000\r\n\r\n${"a".repeat(10_000)}`)
      )
      assert.strictEqual((yield* push(channel, deliveryOf(EVENT)))._tag, "Sent")
      yield* Effect.promise(() => receiver.requests[0]?.closed ?? Promise.reject(new Error("no request")))
    })
  )

  it.live("counts by its status, however long its body stays open, and is waited for 15 seconds without one", () =>
    Effect.gen(function* () {
      const expected = [
        [hang, "Unknown timeout"],
        [drip("HTTP/1.1 200 OK\r\nx-slow: "), "Unknown timeout"],
        [drip("HTTP/1.1 200 OK\r\n\r\n"), "Sent"],
        [raw(chunk("than")), "Sent"],
        [raw("HTTP/1.1 500 No\r\ncontent-length: 100\r\n\r\n"), "NotSent http_500"]
      ] as const
      const inOrder: Array<string> = []
      const outcomes: ReadonlyArray<string> = yield* Effect.forEach(
        expected,
        ([answering, code]) =>
          Effect.gen(function* () {
            const { receiver, channel } = yield* harness(answering)
            const begun = yield* Clock.currentTimeMillis
            const attempt = yield* push(channel, deliveryOf(EVENT))
            inOrder.push(codeOf(attempt))
            if (code === "Unknown timeout") assert.isAtLeast((yield* Clock.currentTimeMillis) - begun, 14_900)
            yield* Effect.promise(() => receiver.requests[0]?.closed ?? Promise.reject(new Error("no request")))
            return codeOf(attempt)
          }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        outcomes,
        expected.map(([, code]) => code)
      )
      assert.deepStrictEqual(inOrder.slice(-2), ["Unknown timeout", "Unknown timeout"], "they are waited for longest")
    })
  )
})

describe("an endpoint", () => {
  it.effect("that no longer exists ends the channel", () =>
    Effect.gen(function* () {
      const channel = yield* channelTo(() => Effect.succeed(undefined))
      assert.strictEqual(codeOf(yield* push(channel, deliveryOf(EVENT))), "Gone channel_missing")
    })
  )

  it.effect("is looked up by app, channel and version", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<unknown>> = []
      const channel = yield* channelTo((...of) =>
        Effect.sync(() => {
          asked.push(of)
          return undefined
        })
      )
      yield* push(channel, deliveryOf(EVENT))
      assert.deepStrictEqual(asked, [["app_1", "chn_1", 3]])
    })
  )

  it.effect("that temporarily cannot be looked up is retried, and nothing was sent", () =>
    Effect.gen(function* () {
      let looks = 0
      const away = () =>
        Effect.suspend(() => {
          looks++
          return Effect.fail(new EndpointsUnavailable({ cause: "away" }))
        })
      const fiber = yield* Effect.forkChild(push(yield* channelTo(away), deliveryOf(EVENT)))
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(codeOf(yield* Fiber.join(fiber)), "NotSent endpoint_unavailable")
      assert.isAbove(looks, 10)
    })
  )

  it.effect("that can be looked up again receives the delivery", () =>
    Effect.gen(function* () {
      const receiver: Receiver = yield* receiverThat(status(200))
      let looks = 0
      const channel = yield* channelTo(() =>
        Effect.suspend(() =>
          ++looks < 3
            ? Effect.fail(new EndpointsUnavailable({ cause: "away" }))
            : Effect.succeed({ url: Redacted.make(receiver.url), secrets: [Redacted.make(SECRET)], config: {} })
        )
      )
      const fiber = yield* Effect.forkChild(push(channel, deliveryOf(EVENT)))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Sent")
    })
  )
})

describe("a request that certainly did not arrive", () => {
  it.effect.each([
    ["to an address that is not public", "", (port: string) => `https://127.0.0.1:${port}/`, "blocked_address"],
    ["over plain http to a public address", "", () => "http://93.184.215.14/", "blocked_address"],
    ["to an invalid URL", "", () => "not a URL", "blocked_address"],
    ["to an unknown name", "nowhere.invalid", () => "http://nowhere.invalid/", "unresolved"],
    ["over TLS to a server without it", "127.0.0.1", (port: string) => `https://127.0.0.1:${port}/`, "tls_failed"]
  ] as const)("%s was not sent", ([, outboundAllow, url, errorCode]) =>
    Effect.gen(function* () {
      const receiver = yield* receiverThat(status(200))
      const channel = yield* channelTo(
        () =>
          Effect.succeed({
            url: Redacted.make(url(new URL(receiver.url).port)),
            secrets: [Redacted.make(SECRET)],
            config: {}
          }),
        outboundAllow
      )
      const { request, ...attempt } = yield* push(channel, deliveryOf(EVENT))
      assert.strictEqual(JSON.parse(request ?? "").headers["webhook-id"], "evt_01")
      assert.deepStrictEqual(attempt, {
        _tag: "NotSent",
        statusCode: null,
        answer: null,
        errorCode,
        retryAfter: null,
        throttle: false
      })
      assert.deepStrictEqual(receiver.requests, [])
    }).pipe(Effect.provideService(LookUp, (host) => Effect.fail(new Unresolved({ host }))))
  )

  it.effect("was not sent if nobody listens on the port", () =>
    Effect.gen(function* () {
      const { receiver, channel } = yield* harness(status(200))
      yield* Effect.promise(() => receiver.close())
      assert.strictEqual(codeOf(yield* push(channel, deliveryOf(EVENT))), "NotSent connect_failed")
    })
  )
})

describe("a request", () => {
  it.effect("has headers for the event, its cursor, its content type and its sender", () =>
    Effect.gen(function* () {
      const { receiver, channel } = yield* harness(status(200))
      yield* TestClock.adjust("90 seconds")
      yield* push(channel, deliveryOf(EVENT))
      const { headers } = yield* Effect.promise(() => receiver.received(0))
      assert.deepInclude(headers, {
        "webhook-id": "evt_01",
        "webhook-timestamp": "90",
        "x-service-event-id": "evt_01",
        "x-service-cursor": "7",
        "content-type": "application/json",
        "content-length": String(EVENT.length),
        "user-agent": `Troupe/${packageJson.version}`
      })
    })
  )

  it.effect("has the same id and a new timestamp when it is retried", () =>
    Effect.gen(function* () {
      const { receiver, channel } = yield* harness(status(500))
      yield* push(channel, deliveryOf(EVENT))
      yield* TestClock.adjust("5 seconds")
      yield* push(channel, deliveryOf(EVENT))
      assert.deepStrictEqual(
        receiver.requests.map(({ headers }) => [headers["webhook-id"], headers["webhook-timestamp"]]),
        [
          ["evt_01", "0"],
          ["evt_01", "5"]
        ]
      )
    })
  )
})
