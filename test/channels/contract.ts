import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { Scope } from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import type { Attempt, Channel, Delivery } from "#channels/Channel.ts"
import { push } from "#test/support/conversation/push.ts"

/** What a receiver does with a delivery. */
export type Behaviour =
  | "takes it"
  | "refuses for now"
  | "asks to wait"
  | "drops after taking"
  | "is not there"
  | "is gone"
  | "hangs"

/** A delivery as its receiver saw it. */
export interface Arrival {
  /** The id by which the receiver recognizes a copy. Null if the channel has none. */
  readonly id: string | null
  readonly body: string
}

export interface Harness {
  readonly channel: Channel
  /** The delivery of this event to the receiver. */
  readonly delivery: (event: string) => Delivery
  /** What must arrive for it, byte for byte. */
  readonly rendered: (delivery: Delivery) => string
  readonly arrivals: () => ReadonlyArray<Arrival>
  /** Resolves when that many have arrived. */
  readonly arrived: (count: number) => Promise<void>
}

/** A channel and one receiver with this behaviour. The one that asks to wait asks for `ASKED`. */
export type MakeHarness = (behaviour: Behaviour) => Effect.Effect<Harness, never, Scope>

export const ASKED = Duration.seconds(7)
/** No attempt takes longer. */
const LONGEST = Duration.seconds(35)

const EVENTS = [
  `{"cursor":1,"type":"message.created","payload":{"text":"hello"}}`,
  `{"cursor": 1,  "payload": {"text":"two  spaces, \\u0041 \\ud83d\\ude00 and 1.0 and 1e2"}}`,
  `{"text":"😀 Grüße \u2028 <b>&amp;</b> \\"\\\\ \u200d\ufeff"}`,
  JSON.stringify({ text: "long ".repeat(20_000) })
] as const

const OUTCOMES = {
  "takes it": "Sent",
  "refuses for now": "NotSent",
  "asks to wait": "NotSent",
  "drops after taking": "Unknown",
  "is not there": "NotSent",
  "is gone": "Gone",
  hangs: "Unknown"
} as const satisfies Record<Behaviour, Attempt["_tag"]>
const BEHAVIOURS = Object.keys(OUTCOMES) as ReadonlyArray<Behaviour>

/** Every push channel passes these. */
export const itKeepsTheContract = (make: MakeHarness): void => {
  describe.concurrent("the contract of a push channel", () => {
    it.effect.each(BEHAVIOURS)(
      "reports the right outcome for a receiver that %s, without an error and within the time limits",
      (behaviour) =>
        Effect.gen(function* () {
          const { channel, delivery, arrived } = yield* make(behaviour)
          const begun = yield* Clock.currentTimeMillis
          const fiber = yield* Effect.forkChild(push(channel, delivery(EVENTS[0])), { startImmediately: true })
          if (behaviour === "hangs") {
            yield* Effect.promise(() => arrived(1))
            yield* TestClock.adjust(LONGEST)
          }
          const attempt = yield* Fiber.join(fiber)
          assert.strictEqual(attempt._tag, OUTCOMES[behaviour])
          assert.isAtMost((yield* Clock.currentTimeMillis) - begun, Duration.toMillis(LONGEST))
        })
    )

    it.effect("applies a wait that the receiver asks for to the whole endpoint", () =>
      Effect.gen(function* () {
        const { channel, delivery } = yield* make("asks to wait")
        const attempt = yield* push(channel, delivery(EVENTS[0]))
        assert.isTrue(
          attempt._tag === "NotSent" &&
            attempt.throttle &&
            attempt.retryAfter !== null &&
            Duration.equals(attempt.retryAfter, ASKED)
        )
      })
    )

    it.effect("does not set a wait after a plain refusal", () =>
      Effect.gen(function* () {
        const { channel, delivery } = yield* make("refuses for now")
        const attempt = yield* push(channel, delivery(EVENTS[0]))
        assert.isTrue(attempt._tag === "NotSent" && !attempt.throttle && attempt.retryAfter === null)
      })
    )

    it.effect("delivers the event byte for byte", () =>
      Effect.gen(function* () {
        const { channel, delivery, rendered, arrivals } = yield* make("takes it")
        for (const event of EVENTS) {
          yield* push(channel, delivery(event))
          assert.strictEqual(arrivals().at(-1)?.body, rendered(delivery(event)))
        }
        assert.lengthOf(arrivals(), EVENTS.length)
      })
    )

    it.effect("sends the same id again when it retries after an unknown outcome", () =>
      Effect.gen(function* () {
        const { channel, delivery, arrivals } = yield* make("drops after taking")
        const part = { ...delivery(EVENTS[0]), part: 0, unknowns: 1 }
        if ((yield* channel.afterUnknown(part, { crashed: false })) === "skip") return
        yield* push(channel, delivery(EVENTS[0]))
        yield* TestClock.adjust("5 seconds")
        yield* push(channel, delivery(EVENTS[0]))
        const [first, second] = arrivals()
        assert.isString(first?.id)
        assert.strictEqual(second?.id, first?.id)
      })
    )

    it.effect("ends an interrupted attempt at once", () =>
      Effect.gen(function* () {
        const { channel, delivery, arrived } = yield* make("hangs")
        const fiber = yield* Effect.forkChild(push(channel, delivery(EVENTS[0])), { startImmediately: true })
        yield* Effect.promise(() => arrived(1))
        yield* Fiber.interrupt(fiber)
      })
    )

    it.effect("has only positive waits in its schedule", () =>
      Effect.gen(function* () {
        const { channel, delivery } = yield* make("takes it")
        const schedule = yield* channel.retry(delivery(EVENTS[0]))
        assert.isNotEmpty(schedule)
        for (const wait of schedule) assert.isAbove(Duration.toMillis(wait), 0)
      })
    )
  })
}
