import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { EventLog, type LogChunk, type LogPosition } from "#channels/event-log/EventLog.ts"
import { Feeds, type Sink } from "#channels/event-log/Feeds.ts"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { ReadRoom, type Room } from "#channels/event-log/ReadRoom.ts"

const session = { appId: "app_1", sessionId: "ses_1" }

/** A log in memory: `tail` events, each written as its cursor. */
class FakeLog {
  tail = 0
  gone = false
  reads: Array<number> = []

  read({ since }: LogPosition, limit: number): LogChunk {
    this.reads.push(since)
    const cursors = Array.from({ length: Math.max(0, Math.min(limit, this.tail - since)) }, (_, n) => since + n + 1)
    return {
      text: cursors.map((cursor) => `<${cursor}>`).join(""),
      nextCursor: cursors.at(-1) ?? since,
      tail: this.tail,
      keptAfter: 0,
      isBeyond: since > this.tail
    }
  }
}

/** A connection whose buffer is full while it is `stuck`. */
class FakeSink implements Sink {
  text = ""
  ended = false
  stuck = false
  drain: () => void = () => {}

  readonly write = (text: string) => {
    this.text += text
    return !this.stuck
  }
  readonly onDrain = (resume: () => void) => {
    this.drain = resume
  }
  readonly end = () => {
    this.ended = true
  }
  /** Holds up its reads while there is one. */
  wait: Effect.Effect<void> = Effect.void
  isCrowded = false
  readonly room: Room = (_, read) => Effect.andThen(this.wait, read)
  readonly hasRoom = () => !this.isCrowded
  get cursors() {
    return [...this.text.matchAll(/<(\d+)>/g)].map((match) => Number(match[1]))
  }
  get heartbeats() {
    return this.text.split(": \n\n").length - 1
  }
}

const setUp = Effect.gen(function* () {
  const log = new FakeLog()
  const context = yield* Layer.build(
    Feeds.layer.pipe(
      Layer.provideMerge(LogSignals.layer),
      Layer.provide(
        Layer.succeed(
          EventLog,
          EventLog.of({
            read: (_, position, limit) =>
              Effect.flatMap(ReadRoom, (room) =>
                room(
                  0,
                  Effect.sync(() => (log.gone ? Option.none() : Option.some(log.read(position, limit))))
                )
              ),
            tails: () => Effect.succeed([])
          })
        )
      )
    )
  )
  const [feeds, signals] = yield* Effect.all([Feeds, LogSignals]).pipe(Effect.provide(context))
  const follow = Effect.fnUntraced(function* (since = 0, sink = new FakeSink()) {
    const leave = yield* feeds.follow(session, since, log.read({ ...session, since }, 200), sink)
    yield* settle
    return { sink, leave }
  })
  const settle = TestClock.adjust(0)
  const announce = (cursor: number) => {
    signals.announce([{ ...session, cursor }])
    return settle
  }
  const append = (count: number) => announce((log.tail += count))
  return { log, feeds, follow, append, announce }
})

const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

describe("a connection", () => {
  it.effect("gets a heartbeat every 15 seconds", () =>
    Effect.gen(function* () {
      const { follow } = yield* setUp
      const { sink } = yield* follow()
      for (let beats = 0; beats < 9; beats++) {
        yield* TestClock.adjust("14 seconds")
        assert.strictEqual(sink.heartbeats, beats)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(sink.heartbeats, beats + 1)
      }
    })
  )

  it.effect("ends between 4.5 and 5 minutes after it began, and not at the same time as others", () =>
    Effect.gen(function* () {
      const { feeds, follow } = yield* setUp
      const sinks = yield* Effect.forEach(upTo(40), () => follow().pipe(Effect.map(({ sink }) => sink)))
      yield* TestClock.adjust("270 seconds")
      assert.deepStrictEqual(
        sinks.filter((sink) => sink.ended),
        []
      )
      yield* TestClock.adjust("15 seconds")
      const early = sinks.filter((sink) => sink.ended).length
      assert.isTrue(early > 0 && early < sinks.length)
      yield* TestClock.adjust("15 seconds")
      assert.isTrue(sinks.every((sink) => sink.ended))
      assert.strictEqual(yield* feeds.count, 0)
    })
  )

  it.effect("has always ended after five minutes, whatever the random value and its start between two ticks", () =>
    Effect.gen(function* () {
      for (const chance of [0, 0.999_999]) {
        const { follow } = yield* setUp
        yield* TestClock.adjust("500 millis")
        const { sink } = yield* follow().pipe(
          Effect.provideService(Random.Random, { nextDoubleUnsafe: () => chance, nextIntUnsafe: () => 0 })
        )
        yield* TestClock.adjust("270 seconds")
        assert.isFalse(sink.ended)
        yield* TestClock.adjust("30 seconds")
        assert.isTrue(sink.ended)
      }
    })
  )

  it.effect("that ends has received everything up to then, and receives nothing afterwards", () =>
    Effect.gen(function* () {
      const { follow, append } = yield* setUp
      const { sink } = yield* follow()
      yield* append(3)
      yield* TestClock.adjust("5 minutes")
      yield* append(1)
      assert.deepStrictEqual(sink.cursors, [1, 2, 3])
    })
  )

  it.effect("that disconnects receives nothing more, and the last one closes the feed", () =>
    Effect.gen(function* () {
      const { log, feeds, follow, append } = yield* setUp
      const { sink, leave } = yield* follow()
      leave()
      const reads = log.reads.length
      yield* append(3)
      assert.deepStrictEqual(sink.cursors, [])
      assert.strictEqual(log.reads.length, reads)
      assert.strictEqual(yield* feeds.count, 0)
    })
  )

  it.effect("is ended when the process stops", () =>
    Effect.gen(function* () {
      const { feeds, follow } = yield* setUp
      const { sink } = yield* follow()
      yield* feeds.endAll
      assert.isTrue(sink.ended)
    })
  )
})

describe("followers of one log", () => {
  it.effect("each receive every event once and in order, wherever they started", () =>
    Effect.gen(function* () {
      const { follow, append } = yield* setUp
      yield* append(5)
      const first = yield* follow(0)
      const second = yield* follow(3)
      yield* append(2)
      const third = yield* follow(7)
      const beyond = yield* follow(9)
      yield* append(4)
      assert.deepStrictEqual(first.sink.cursors, upTo(11))
      assert.deepStrictEqual(second.sink.cursors, upTo(11).slice(3))
      assert.deepStrictEqual(third.sink.cursors, [8, 9, 10, 11])
      assert.deepStrictEqual(beyond.sink.cursors, [10, 11])
    })
  )

  it.effect("share one read of new events", () =>
    Effect.gen(function* () {
      const { log, follow, append } = yield* setUp
      const followers = yield* Effect.forEach(upTo(50), () => follow())
      const reads = log.reads.length
      yield* append(1)
      assert.strictEqual(log.reads.length, reads + 1)
      for (const { sink } of followers) assert.deepStrictEqual(sink.cursors, [1])
    })
  )

  it.effect("receive a long log in chunks, without gaps", () =>
    Effect.gen(function* () {
      const { follow, append } = yield* setUp
      yield* append(450)
      const { sink } = yield* follow()
      assert.deepStrictEqual(sink.cursors, upTo(450))
    })
  )
})

describe("followers of a log that loses events", () => {
  it.effect("end, so that they are told when they reconnect, and a late notification ends nobody", () =>
    Effect.gen(function* () {
      const { follow, append, announce, feeds } = yield* setUp
      yield* append(5)
      const { sink } = yield* follow()
      yield* append(-2)
      assert.isTrue(sink.ended)
      const next = yield* follow(3)
      yield* append(2)
      yield* announce(4)
      assert.deepStrictEqual([next.sink.cursors, next.sink.ended], [[4, 5], false])
      assert.strictEqual(yield* feeds.count, 1)
    })
  )
})

describe("a connection without room in memory", () => {
  it.effect("does not get new events with the others, but from the log when there is room", () =>
    Effect.gen(function* () {
      const { follow, append } = yield* setUp
      const { sink } = yield* follow()
      const other = yield* follow()
      const room = yield* Deferred.make<void>()
      sink.wait = Deferred.await(room)
      sink.isCrowded = true
      yield* append(2)
      yield* append(1)
      assert.deepStrictEqual([sink.cursors, other.sink.cursors], [[], [1, 2, 3]])
      sink.isCrowded = false
      yield* Deferred.succeed(room, undefined)
      yield* append(1)
      assert.deepStrictEqual([sink.cursors, other.sink.cursors], [upTo(4), upTo(4)])
    })
  )

  it.effect("is sent nothing if it leaves while it waits", () =>
    Effect.gen(function* () {
      const { follow, append } = yield* setUp
      const { sink, leave } = yield* follow()
      const room = yield* Deferred.make<void>()
      sink.wait = Deferred.await(room)
      sink.isCrowded = true
      yield* append(1)
      leave()
      yield* Deferred.succeed(room, undefined)
      yield* append(1)
      assert.deepStrictEqual(sink.cursors, [])
    })
  )
})

describe("a slow reader", () => {
  const stall = Effect.gen(function* () {
    const tools = yield* setUp
    const { sink } = yield* tools.follow()
    sink.stuck = true
    yield* tools.append(1)
    return { ...tools, sink }
  })

  it.effect("is sent nothing more while its buffer is full, not even a heartbeat", () =>
    Effect.gen(function* () {
      const { sink, append } = yield* stall
      yield* append(3)
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(sink.cursors, [1])
      assert.strictEqual(sink.heartbeats, 0)
      assert.isFalse(sink.ended)
    })
  )

  it.effect("gets the missed events from the log when its buffer has drained, and continues live", () =>
    Effect.gen(function* () {
      const { sink, append } = yield* stall
      yield* append(300)
      yield* TestClock.adjust("20 seconds")
      sink.stuck = false
      sink.drain()
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(sink.cursors, upTo(301))
      yield* append(2)
      assert.deepStrictEqual(sink.cursors, upTo(303))
      yield* TestClock.adjust("1 minute")
      assert.isFalse(sink.ended)
    })
  )

  it.effect("is disconnected after 30 seconds", () =>
    Effect.gen(function* () {
      const { sink, feeds } = yield* stall
      yield* TestClock.adjust("29 seconds")
      assert.isFalse(sink.ended)
      yield* TestClock.adjust("3 seconds")
      assert.isTrue(sink.ended)
      assert.strictEqual(yield* feeds.count, 0)
    })
  )

  it.effect("is disconnected, without repeated reads of the log, if the missed events no longer exist", () =>
    Effect.gen(function* () {
      const { sink, log, append, feeds } = yield* stall
      yield* append(3)
      log.gone = true
      sink.drain()
      yield* TestClock.adjust(0)
      assert.isTrue(sink.ended)
      assert.deepStrictEqual(sink.cursors, [1])
      assert.strictEqual(yield* feeds.count, 0)
    })
  )

  it.effect("does not delay the others", () =>
    Effect.gen(function* () {
      const { follow, append } = yield* stall
      const other = yield* follow()
      yield* append(5)
      assert.deepStrictEqual(other.sink.cursors, upTo(6))
    })
  )
})
