import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { BotApi, BotApiError } from "#channels/telegram/BotApi.ts"
import type { FailureKind } from "#channels/telegram/failures.ts"
import { Pace } from "#channels/telegram/Pace.ts"
import { TelegramBots } from "#channels/telegram/TelegramBots.ts"
import { Typing } from "#channels/telegram/Typing.ts"

const REF = { appId: "app_1", channelId: "bot_1", sessionId: "ses_1" }
const PLACE = {
  chat: { chatId: 7, threadId: 0, status: "active" as const },
  inFlight: { chatId: 7, untilMs: 0, aheadMs: 0 }
}
const failure = (kind: FailureKind) =>
  new BotApiError({
    method: "sendChatAction",
    kind,
    status: null,
    description: "no",
    retryAfterSeconds: null,
    migrateTo: null
  })

/** Typing with a Telegram that only counts calls. */
const harness = Effect.fnUntraced(function* (
  trouble: ReadonlyArray<FailureKind | null> = [],
  places: ReadonlyArray<"busy" | "over"> = []
) {
  const calls: Array<number> = []
  const clock = yield* TestClock.testClockWith(Effect.succeed)
  const [troubles, spares] = [[...trouble], [...places]]
  const api = Layer.succeed(BotApi, {
    sendMessage: () => Effect.die("no message is sent here"),
    sendPhoto: () => Effect.die("no picture is sent here"),
    download: () => Effect.die(new Error("nothing is to be fetched")),
    setProfilePhoto: () => Effect.die("the bot stays as it looks"),
    call: (_, method) =>
      Effect.suspend(() => {
        assert.strictEqual(method, "sendChatAction")
        calls.push(clock.currentTimeMillisUnsafe() / 1000)
        const kind = troubles.shift() ?? null
        return kind === null ? Effect.succeed(true as never) : Effect.fail(failure(kind))
      })
  })
  const bots = Layer.succeed(TelegramBots, {
    get: () =>
      Effect.succeed({ token: Redacted.make("1:x"), tokenVersion: 1, unknownPolicy: "skip" as const, drafts: false }),
    revoke: () => Effect.succeed(true),
    degrade: () => Effect.void,
    endDrafts: () => Effect.void
  })
  const pace = Layer.succeed(Pace, {
    reserve: () => Effect.succeed(Duration.zero),
    acquire: () => Effect.succeed(PLACE),
    release: () => Effect.void,
    tryAcquire: () => Effect.sync(() => spares.shift() ?? PLACE),
    backOff: () => Effect.void
  })
  const services = yield* Layer.build(Layer.fresh(Typing.layer).pipe(Layer.provide([api, bots, pace])))
  return { calls, typing: Context.get(services, Typing) }
})

describe("the typing indicator", () => {
  it.effect("is renewed before it fades, by one loop however often it is started, and for at most two minutes", () =>
    Effect.gen(function* () {
      const { calls, typing } = yield* harness()
      for (let n = 0; n < 3; n++) yield* typing.begin(REF, 1, 0)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(
        calls,
        Array.from({ length: 27 }, (_, index) => index * 4.5)
      )
    })
  )

  it.effect("measures its time from the question, not from the start of processing", () =>
    Effect.gen(function* () {
      const { calls, typing } = yield* harness()
      yield* TestClock.adjust("2 minutes")
      yield* typing.begin(REF, 1, 0)
      yield* TestClock.adjust("1 minute")
      assert.isEmpty(calls)
    })
  )

  it.effect("ends with the answer", () =>
    Effect.gen(function* () {
      const { calls, typing } = yield* harness()
      yield* typing.begin(REF, 1, 0)
      yield* TestClock.adjust("5 seconds")
      yield* typing.end(REF)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(calls, [0, 4.5])
    })
  )

  it.effect.each([
    ["two failures in a row", ["ambiguous", null, "ambiguous", "ambiguous"], 4],
    ["a revoked token", ["auth"], 1],
    ["a wait that Telegram asks for", ["rate_limited"], 1],
    ["a person who has blocked the bot", ["chat_blocked"], 1]
  ] as const)("ends with %s", ([, trouble, count]) =>
    Effect.gen(function* () {
      const { calls, typing } = yield* harness(trouble)
      yield* typing.begin(REF, 1, 0)
      yield* TestClock.adjust("10 minutes")
      assert.lengthOf(calls, count)
    })
  )

  it.effect("yields while the chat has no free slot, and ends when nobody waits any more", () =>
    Effect.gen(function* () {
      const { calls, typing } = yield* harness([], ["busy", "busy"])
      yield* typing.begin(REF, 1, 0)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(calls, [9])
      const over = yield* harness([], ["over"])
      yield* over.typing.begin(REF, 1, 10_000)
      yield* TestClock.adjust("1 minute")
      assert.isEmpty(over.calls)
    })
  )
})
