import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Delivery } from "#channels/Channel.ts"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { BotApi, BotApiError } from "#channels/telegram/BotApi.ts"
import { Outage } from "#channels/telegram/Outage.ts"
import { type Departure, Pace } from "#channels/telegram/Pace.ts"
import { Photos } from "#channels/telegram/Photos.ts"
import { TelegramBots } from "#channels/telegram/TelegramBots.ts"
import { makeTelegramChannel } from "#channels/telegram/TelegramChannel.ts"
import { TelegramChats } from "#channels/telegram/TelegramChats.ts"
import { Typing } from "#channels/telegram/Typing.ts"

const delivery: Delivery = {
  appId: "app_1", sessionId: "ses_1", channelId: "bot_1", channelVersion: 1, cursor: 3, eventId: "evt_3", type: "message.created", part: 0, unknowns: 0,
  event: JSON.stringify({ type: "message.created", role: "character", created_at: "2026-01-01T00:00:00Z", payload: { bubbles: ["Hello."] } })
}
const departure = { chat: { chatId: 7, threadId: 0, status: "active" as const }, underWay: { chatId: 7, untilMs: 5, aheadMs: 1 } }

/** One try to send a message, whose call ends so, and what became of its place. */
const attempt = (departs: Departure | { readonly wait: Duration.Duration } | undefined, call: Effect.Effect<{ message_id: number }, BotApiError> = Effect.succeed({ message_id: 9 })) =>
  Effect.gen(function*() {
    const calls: Array<string> = []
    const channel = yield* makeTelegramChannel("telegram_byo").pipe(Effect.provide([
      Layer.mock(BotApi, { call: (_, method) => Effect.suspend(() => {
        calls.push(method)
        return call as Effect.Effect<never, BotApiError>
      }) }),
      Layer.mock(TelegramBots, { get: () => Effect.succeed({ token: Redacted.make("1:x"), tokenVersion: 1, unknownPolicy: "skip" as const, drafts: false }) }),
      Layer.mock(TelegramChats, {}),
      Layer.mock(Outage, { note: () => Effect.void }),
      Layer.mock(Pace, { departs: () => Effect.succeed(departs), returned: (_, { untilMs }) => Effect.sync(() => { calls.push(`back ${untilMs}`) }) }),
      Layer.mock(Typing, {}),
      Layer.mock(OperationalLog, { append: () => Effect.void }),
      Layer.mock(Photos, {})
    ]))
    return { outcome: yield* channel.deliver(delivery), calls }
  })

describe("a message whose time has come", () => {
  it.effect("is sent from its place, and counted from when it is back", () => Effect.gen(function*() {
    const { outcome, calls } = yield* attempt(departure)
    assert.strictEqual(outcome._tag, "Sent")
    assert.deepStrictEqual(calls, ["sendMessage", "back 5"])
  }))

  it.effect.each([
    ["goes on counting as one that takes its time when the connection breaks: it may come in yet", null, ["sendMessage"]],
    ["is counted from the answer, be it one that says nothing", 502, ["sendMessage", "back 5"]]
  ] as const)("%s", ([, status, expected]) => Effect.gen(function*() {
    const { outcome, calls } = yield* attempt(departure, Effect.fail(new BotApiError({ method: "sendMessage", kind: "ambiguous", status, description: "no", retryAfterSeconds: null, migrateTo: null })))
    assert.strictEqual(outcome._tag, "Unknown")
    assert.deepStrictEqual(calls, [...expected])
  }))

  it.effect("waits, and is no failed try, when another call of the chat's came before it", () => Effect.gen(function*() {
    const { outcome, calls } = yield* attempt({ wait: Duration.millis(700) })
    assert.isTrue(outcome._tag === "Later" && Duration.equals(outcome.after, Duration.millis(700)))
    assert.isEmpty(calls)
  }))

  it.effect("is held when its chat is gone, or not spoken to any more", () => Effect.gen(function*() {
    for (const place of [undefined, { ...departure, chat: { ...departure.chat, status: "blocked" as const } }]) {
      const { outcome, calls } = yield* attempt(place)
      assert.strictEqual(outcome._tag, "Held")
      assert.isEmpty(calls)
    }
  }))
})
