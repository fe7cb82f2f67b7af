import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { AppFeed, type FeedFrames, type FeedRead } from "#channels/event-log/AppFeed.ts"
import type { Sink } from "#channels/event-log/Feeds.ts"
import type { Room } from "#channels/event-log/ReadRoom.ts"
import { followFeed } from "#channels/event-log/followFeed.ts"
import { LogSignals } from "#channels/event-log/LogSignals.ts"

const APP = "app_1"
const PAGE = 10

/** A feed in memory: `tail` events, each written as its number. */
class FakeFeed {
  tail = 0
  reads: Array<number> = []

  read({ since }: FeedRead): FeedFrames {
    const from = since?.position ?? 0
    this.reads.push(from)
    const to = Math.min(this.tail, from + PAGE)
    const next = { epoch: "e", timeline: "1", position: to, sessionId: "", cursor: 0, trimmed: 0 }
    const text = Array.from({ length: to - from }, (_, n) => `<${from + n + 1}>`).join("")
    return { _tag: "Frames", text, next, hasMore: to < this.tail }
  }
}

/** A connection whose buffer is full after each write while it is `stuck`. */
class FakeSink implements Sink {
  text = ""
  stuck = false
  drain: () => void = () => {}

  readonly write = (text: string) => {
    this.text += text
    return !this.stuck
  }
  readonly onDrain = (resume: () => void) => {
    this.drain = resume
  }
  readonly end = () => {}
  readonly room: Room = (_, read) => read
  readonly hasRoom = () => true
  get events() {
    return [...this.text.matchAll(/<(\d+)>/g)].map((match) => Number(match[1]))
  }
}

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

const setUp = Effect.fnUntraced(function* (tail: number, sink: FakeSink) {
  const feed = new FakeFeed()
  feed.tail = tail
  const read: FeedRead = {
    appId: APP,
    since: null,
    filter: { types: null, characterSlug: null, sessionId: null },
    limit: PAGE
  }
  const context = yield* Layer.build(
    Layer.merge(
      LogSignals.layer,
      Layer.succeed(
        AppFeed,
        AppFeed.of({
          read: () => Effect.die("a stream reads frames"),
          readFrames: (asked) => Effect.sync(() => feed.read(asked)),
          end: () => Effect.succeed(null),
          heads: () => Effect.succeed(new Map())
        })
      )
    )
  )
  const signals = yield* LogSignals.pipe(Effect.provide(context))
  const following = yield* followFeed(read, feed.read(read), sink).pipe(Effect.provide(context), Effect.forkChild)
  const settle = TestClock.adjust(0)
  yield* settle
  const append = (count: number) => {
    feed.tail += count
    signals.wakeApp(APP)
    return settle
  }
  return { feed, append, settle, stop: Fiber.interrupt(following) }
})

describe("a stream of the feed", () => {
  it.effect("has every event once and in order, however its reader pauses", () =>
    Effect.gen(function* () {
      const sink = new FakeSink()
      sink.stuck = true
      const { append, settle, stop } = yield* setUp(35, sink)
      for (let n = 0; n < 4; n++) {
        sink.drain()
        yield* settle
      }
      yield* append(3)
      yield* TestClock.adjust("50 millis")
      sink.stuck = false
      sink.drain()
      yield* settle
      assert.deepStrictEqual(sink.events, upTo(38))
      yield* stop
    })
  )

  it.effect("reads a page when its reader has taken the last one, and not before", () =>
    Effect.gen(function* () {
      const sink = new FakeSink()
      sink.stuck = true
      const { feed, settle, stop } = yield* setUp(1000, sink)
      assert.deepStrictEqual([sink.events.length, feed.reads], [10, [0]])
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual([sink.events.length, feed.reads], [10, [0]])
      sink.drain()
      yield* settle
      assert.deepStrictEqual([sink.events.length, feed.reads], [20, [0, 10]])
      yield* stop
    })
  )

  it.effect("shows an event after a quiet time at once", () =>
    Effect.gen(function* () {
      const sink = new FakeSink()
      const { append, stop } = yield* setUp(0, sink)
      yield* TestClock.adjust("1 second")
      yield* append(1)
      assert.deepStrictEqual(sink.events, [1])
      yield* stop
    })
  )

  it.effect("reads a busy feed every 50 ms, and misses nothing", () =>
    Effect.gen(function* () {
      const sink = new FakeSink()
      const { feed, append, stop } = yield* setUp(0, sink)
      yield* TestClock.adjust("1 second")
      const before = feed.reads.length
      for (let ms = 0; ms < 500; ms += 5) {
        yield* append(1)
        yield* TestClock.adjust("5 millis")
      }
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(sink.events, upTo(100))
      // Ten pages of ten, and at the end one that has no more.
      assert.isAtMost(feed.reads.length - before, 12)
      yield* stop
    })
  )
})
