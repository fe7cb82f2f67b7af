import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe } from "vitest"
import type { Delivery } from "#channels/Channel.ts"
import { Endpoints } from "#channels/Endpoints.ts"
import { parseAllowList } from "#channels/outbound/AllowList.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { type Answering, hang, reset, startReceiver, status } from "#test/support/Receiver.ts"
import { ASKED, type Behaviour, itKeepsTheContract } from "#test/channels/contract.ts"
import { makeRoomChannel } from "./RoomChannel.ts"

const ANSWERS = {
  "takes it": status(204),
  "refuses for now": status(500),
  "asks to wait": status(429, { "retry-after": String(Duration.toSeconds(ASKED)) }),
  "drops after taking": reset,
  "is not there": status(200),
  "is gone": status(410),
  hangs: hang
} as const satisfies Record<Behaviour, Answering>

const deliveryOf = (text: string): Delivery => ({
  appId: "app_1",
  sessionId: "ses_1",
  channelId: "chn_1",
  channelVersion: 1,
  cursor: 7,
  eventId: "evt_01",
  type: "message.created",
  event: JSON.stringify({ role: "character", payload: { bubbles: [text] } })
})

describe("a room", () => {
  itKeepsTheContract(
    Effect.fnUntraced(function* (behaviour) {
      const receiver = yield* Effect.acquireRelease(
        Effect.promise(() => startReceiver(ANSWERS[behaviour])),
        (open) => Effect.promise(() => open.close())
      )
      const list = parseAllowList("127.0.0.1")
      if ("bad" in list) return yield* Effect.die(new Error(list.bad))
      const endpoints = Layer.succeed(Endpoints, {
        get: () =>
          Effect.succeed({
            url: Redacted.make(receiver.url),
            secrets: [Redacted.make("room-token")],
            config: { room: "lobby" }
          })
      })
      const context = yield* Layer.build(Layer.merge(Outbound.layer(list), endpoints))
      const channel = yield* Effect.provide(makeRoomChannel, context)
      if (behaviour === "is not there") yield* Effect.promise(() => receiver.close())
      return {
        channel,
        delivery: deliveryOf,
        rendered: ({ event }) => JSON.stringify({ room: "lobby", content: JSON.parse(event).payload.bubbles[0] }),
        arrivals: () => receiver.requests.map(({ body }) => ({ id: null, body: body.toString("utf8") })),
        arrived: async (count) => {
          await receiver.received(count - 1)
        }
      }
    })
  )
})
