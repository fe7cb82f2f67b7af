import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { type Attempt, type Delivery, INTENDED, type Intent, NotIntended } from "#channels/Channel.ts"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { BotApi, BotApiError } from "#channels/telegram/BotApi.ts"
import type { FailureKind } from "#channels/telegram/failures.ts"
import { Outage } from "#channels/telegram/Outage.ts"
import { type PaceGrant, Pace } from "#channels/telegram/Pace.ts"
import { Photos } from "#channels/telegram/Photos.ts"
import { TelegramBots } from "#channels/telegram/TelegramBots.ts"
import { makeTelegramChannel } from "#channels/telegram/TelegramChannel.ts"
import { TELEGRAM_BYO } from "#channels/telegram/telegramKinds.ts"
import { TelegramChats } from "#channels/telegram/TelegramChats.ts"
import { Typing } from "#channels/telegram/Typing.ts"
import { push } from "#test/support/conversation/push.ts"

const deliveryOf = (text: string): Delivery => ({
  appId: "app_1",
  sessionId: "ses_1",
  channelId: "bot_1",
  channelVersion: 1,
  cursor: 3,
  eventId: "evt_3",
  type: "message.created",
  event: JSON.stringify({
    type: "message.created",
    role: "character",
    created_at: "2026-01-01T00:00:00Z",
    payload: { bubbles: [text] }
  })
})
const place = {
  chat: { chatId: 7, threadId: 0, status: "active" as const },
  inFlight: { chatId: 7, untilMs: 5, aheadMs: 1 }
}
const sent = Effect.succeed({ message_id: 9 })
const failed = (kind: FailureKind, status: number | null) =>
  Effect.fail(
    new BotApiError({
      method: "sendMessage",
      kind,
      status,
      description: "no",
      retryAfterSeconds: null,
      migrateTo: null
    })
  )

interface Course {
  readonly places: ReadonlyArray<PaceGrant | { readonly wait: Duration.Duration } | undefined>
  readonly answers?: ReadonlyArray<Effect.Effect<{ readonly message_id: number }, BotApiError>>
  readonly text?: string
  readonly intent?: Intent
}

/** One attempt to send a message to a chat with these answers, and what happened to the slots of its calls. */
const attempt = Effect.fnUntraced(function* ({ places, answers = [sent], text = "Hello.", intent = INTENDED }: Course) {
  const seen: Array<string> = []
  const [departures, calls] = [[...places], [...answers]]
  const channel = yield* makeTelegramChannel(TELEGRAM_BYO).pipe(
    Effect.provide([
      Layer.mock(BotApi, {
        sendMessage: (_, __, { record }) =>
          Effect.andThen(
            record,
            Effect.suspend(() => {
              seen.push("sendMessage")
              return (calls.shift() ?? sent) as Effect.Effect<never, BotApiError>
            })
          )
      }),
      Layer.mock(TelegramBots, {
        get: () =>
          Effect.succeed({
            token: Redacted.make("1:x"),
            tokenVersion: 1,
            unknownPolicy: "skip" as const,
            drafts: false
          })
      }),
      Layer.mock(TelegramChats, {}),
      Layer.mock(Outage, { record: () => Effect.void }),
      Layer.mock(Pace, {
        reserve: () => Effect.succeed(Duration.zero),
        acquire: () => Effect.sync(() => departures.shift()),
        release: (_, { aheadMs }) =>
          Effect.sync(() => {
            seen.push(aheadMs === 0 ? "lost" : "back")
          })
      }),
      Layer.mock(Typing, {}),
      Layer.mock(OperationalLog, { append: () => Effect.void }),
      Layer.mock(Photos, {})
    ])
  )
  const trying = yield* Effect.forkChild(push(channel, deliveryOf(text), intent))
  yield* TestClock.adjust("1 minute")
  yield* Fiber.interrupt(trying)
  return { exit: yield* Fiber.await(trying), seen }
})
const outcomeOf = (exit: Exit.Exit<Attempt>) => (Exit.isSuccess(exit) ? exit.value._tag : "interrupted")

describe("a message that is due", () => {
  it.effect.each([
    ["is sent in its slot, and counted from its answer", sent, "Sent", "back"],
    ["is also counted from an inconclusive answer", failed("ambiguous", 502), "Unknown", "back"],
    [
      "is counted as slow if its connection breaks, because it may still arrive",
      failed("ambiguous", null),
      "Unknown",
      "lost"
    ],
    ["is also counted as slow if it is interrupted", Effect.never, "interrupted", "lost"]
  ] as const)("%s", ([, answer, outcome, counted]) =>
    Effect.gen(function* () {
      const { exit, seen } = yield* attempt({ places: [place], answers: [answer] })
      assert.strictEqual(outcomeOf(exit), outcome)
      assert.deepStrictEqual(seen, ["sendMessage", counted])
    })
  )

  it.effect("waits without a failed attempt if another call of the chat came first", () =>
    Effect.gen(function* () {
      const { exit, seen } = yield* attempt({ places: [{ wait: Duration.millis(700) }] })
      assert.isTrue(
        Exit.isSuccess(exit) && exit.value._tag === "Later" && Duration.equals(exit.value.after, Duration.millis(700))
      )
      assert.isEmpty(seen)
    })
  )

  it.effect("is parked if its chat is gone or has blocked the bot", () =>
    Effect.gen(function* () {
      for (const gone of [undefined, { ...place, chat: { ...place.chat, status: "blocked" as const } }]) {
        const { exit, seen } = yield* attempt({ places: [gone] })
        assert.strictEqual(outcomeOf(exit), "Parked")
        assert.isEmpty(seen)
      }
    })
  )

  it.effect("is sent completely once a part of it has arrived, however many calls come in between", () =>
    Effect.gen(function* () {
      const wait = { wait: Duration.millis(900) }
      const { exit, seen } = yield* attempt({
        places: [place, wait, place, wait, wait, place],
        answers: [failed("too_long", 400)],
        text: "word ".repeat(400)
      })
      assert.strictEqual(outcomeOf(exit), "Sent")
      assert.deepStrictEqual(seen, ["sendMessage", "back", "sendMessage", "back", "sendMessage", "back"])
    })
  )

  it.effect("is reported as partly sent if the rest gets no slot within half a minute", () =>
    Effect.gen(function* () {
      const waits = Array.from({ length: 40 }, () => ({ wait: Duration.millis(900) }))
      const { exit, seen } = yield* attempt({
        places: [place, place, ...waits],
        answers: [failed("too_long", 400)],
        text: "word ".repeat(400)
      })
      assert.isTrue(Exit.isSuccess(exit) && exit.value._tag === "Unknown" && exit.value.errorCode === "partly_sent")
      assert.deepStrictEqual(seen, ["sendMessage", "back", "sendMessage", "back"])
    })
  )
})

describe("the intent to send a message", () => {
  /** What became of the intent of one attempt. */
  const intentOf = (course: Omit<Course, "intent">) => {
    const steps: Array<string> = []
    const note = (step: string) => Effect.sync(() => void steps.push(step))
    return Effect.map(
      attempt({ ...course, intent: { record: note("recorded"), withdraw: note("withdrawn") } }),
      ({ exit }) => ({ outcome: outcomeOf(exit), steps })
    )
  }

  it.effect("is not recorded while the message waits for its slot", () =>
    Effect.gen(function* () {
      const { outcome, steps } = yield* intentOf({ places: [{ wait: Duration.millis(700) }] })
      assert.strictEqual(outcome, "Later")
      assert.isEmpty(steps)
    })
  )

  it.effect("is withdrawn while another form waits after a refusal, and recorded again for it", () =>
    Effect.gen(function* () {
      const { outcome, steps } = yield* intentOf({
        places: [place, place, place],
        answers: [failed("too_long", 400)],
        text: "word ".repeat(400)
      })
      assert.strictEqual(outcome, "Sent")
      assert.deepStrictEqual(steps, ["recorded", "withdrawn", "recorded"])
    })
  )

  it.effect("ends the attempt if it cannot be recorded, and says nothing about Telegram", () =>
    Effect.gen(function* () {
      const refused: Intent = { record: Effect.fail(new NotIntended()), withdraw: Effect.void }
      const { exit, seen } = yield* attempt({ places: [place], intent: refused })
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(seen, ["back"])
    })
  )
})
