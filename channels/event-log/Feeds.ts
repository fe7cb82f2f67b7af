import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import { observedGauge } from "#pipeline/telemetry/metric.ts"
import { EventLog, type LogChunk, MAX_PAGE } from "./EventLog.ts"
import { LogSignals, type WatchedSession } from "./LogSignals.ts"
import { ReadRoom, type Room } from "./ReadRoom.ts"

/** Receives a follower's frames: one open connection. */
export interface Sink {
  /** False: its buffer is full. Nothing more is written until `onDrain` is called. */
  readonly write: (text: string) => boolean
  readonly onDrain: (resume: () => void) => void
  readonly end: () => void
  /** For reads whose result is only for this sink. */
  readonly room: Room
  /** Whether there is room for this many more bytes, which are in memory already. */
  readonly hasRoom: (bytes: number) => boolean
}

export const HEARTBEAT_MS = 15_000
export const SLOW_READER_MS = 30_000
/**
 * A connection lasts at most five minutes (contract 8), including the tick that ends it. It is shortened by up to 28 s,
 * so that connections opened together do not reconnect together.
 */
export const LIFETIME_MS = 298_000
export const LIFETIME_JITTER_MS = 28_000

/**
 * One connection. `live`: at the feed's position, and fed by it. `catching-up`: reads the log by itself until it
 * reaches the feed. `stalled`: its buffer is full, and it will catch up when it drains.
 */
interface Follower {
  readonly sink: Sink
  readonly endsAt: number
  cursor: number
  state: "live" | "catching-up" | "stalled"
  stalledAt: number
}

/** The live end of one session's log in this process: read once, written to all followers. */
interface Feed {
  readonly session: WatchedSession
  readonly followers: Set<Follower>
  readonly unsubscribe: () => void
  position: number
  known: number
  reading: boolean
}

/** Followers of logs: server-sent events and other readers that need each event once, in order, from a cursor on. */
export class Feeds extends Context.Service<
  Feeds,
  {
    /**
     * Writes everything after `since` to the sink, now and as it arrives. `first` is the log after `since` as the
     * caller has just read it. Returns a function that stops.
     */
    readonly follow: (session: WatchedSession, since: number, first: LogChunk, sink: Sink) => Effect.Effect<() => void>
    /** Ends every connection, for example when the process stops. */
    readonly endAll: Effect.Effect<void>
    readonly count: Effect.Effect<number>
  }
>()("channels/event-log/Feeds") {
  static readonly layer = Layer.effect(
    Feeds,
    Effect.gen(function* () {
      const log = yield* EventLog
      const signals = yield* LogSignals
      const fork = yield* FiberSet.makeRuntime()
      const feeds = new Map<string, Feed>()

      const leave = (feed: Feed, follower: Follower) => {
        if (!feed.followers.delete(follower) || feed.followers.size > 0) return
        feed.unsubscribe()
        if (feeds.get(feed.session.sessionId) === feed) feeds.delete(feed.session.sessionId)
      }
      const end = (feed: Feed, follower: Follower) => {
        leave(feed, follower)
        follower.sink.end()
      }
      const write = (feed: Feed, follower: Follower, chunk: LogChunk, now: number) => {
        follower.cursor = chunk.nextCursor
        if (follower.sink.write(chunk.text)) return
        follower.state = "stalled"
        follower.stalledAt = now
        follower.sink.onDrain(() => {
          if (!feed.followers.has(follower)) return
          follower.state = "catching-up"
          fork(catchUp(feed, follower))
        })
      }

      /** Without a room: what is read is for all followers of a feed. A log that was erased ends before any cursor. */
      const readAfter = (feed: Feed, since: number, room?: Room) =>
        log.read("sse", { ...feed.session, since }, MAX_PAGE).pipe(
          Effect.map(
            Option.getOrElse((): LogChunk => ({
              text: "",
              nextCursor: since,
              tail: since,
              keptAfter: 0,
              isBeyond: true
            }))
          ),
          (read) => (room === undefined ? read : Effect.provideService(read, ReadRoom, room))
        )

      // A follower goes live in the same step in which it is found to have reached the feed, so that no chunk is missed
      // in between.
      const catchUp = Effect.fnUntraced(
        function* (feed: Feed, follower: Follower) {
          while (feed.followers.has(follower) && follower.state === "catching-up") {
            if (follower.cursor >= feed.position) {
              follower.state = "live"
              if (feed.known > feed.position) advance(feed)
              return
            }
            const chunk = yield* readAfter(feed, follower.cursor, follower.sink.room)
            // Events that were deleted cannot be caught up. When the reader reconnects, it gets the current state of
            // the log.
            if (chunk.text === "") return end(feed, follower)
            if (feed.followers.has(follower)) write(feed, follower, chunk, yield* Clock.currentTimeMillis)
          }
        },
        (effect, feed, follower) =>
          Effect.catchTag(effect, "LogUnavailable", () => Effect.sync(() => end(feed, follower)))
      )

      const readOn = Effect.fnUntraced(
        function* (feed: Feed) {
          while (feed.followers.size > 0 && feed.known > feed.position) {
            const from = feed.position
            const chunk = yield* readAfter(feed, from)
            if (chunk.text === "") return
            const now = yield* Clock.currentTimeMillis
            feed.position = chunk.nextCursor
            feed.known = Math.max(feed.known, chunk.nextCursor)
            for (const follower of feed.followers) {
              if (follower.state !== "live" || follower.cursor >= chunk.nextCursor) continue
              if (follower.cursor === from && follower.sink.hasRoom(chunk.text.length))
                write(feed, follower, chunk, now)
              else {
                follower.state = "catching-up"
                fork(catchUp(feed, follower))
              }
            }
          }
        },
        Effect.catchTag("LogUnavailable", () => Effect.void)
      )

      const advance = (feed: Feed) => {
        if (feed.reading) return
        feed.reading = true
        fork(
          readOn(feed).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                feed.reading = false
              })
            )
          )
        )
      }

      // A log that ends before the feed has lost events in a failover or was erased, or the signal is late. Readers
      // that are told so when they reconnect must not wait until it has grown beyond them.
      const endIfBeyond = Effect.fnUntraced(
        function* (feed: Feed) {
          const { isBeyond } = yield* readAfter(feed, feed.position)
          if (isBeyond) for (const follower of feed.followers) end(feed, follower)
        },
        Effect.catchTag("LogUnavailable", () => Effect.void)
      )

      const open = (session: WatchedSession, position: number): Feed => {
        const feed: Feed = {
          session,
          followers: new Set(),
          unsubscribe: signals.subscribe(session, position, (cursor) => {
            if (cursor < feed.position) fork(endIfBeyond(feed))
            if (cursor <= feed.known && cursor <= feed.position) return
            feed.known = Math.max(feed.known, cursor)
            advance(feed)
          }),
          position,
          known: position,
          reading: false
        }
        feeds.set(session.sessionId, feed)
        return feed
      }

      const follow = Effect.fnUntraced(function* (session: WatchedSession, since: number, first: LogChunk, sink: Sink) {
        const now = yield* Clock.currentTimeMillis
        const jitter = yield* Random.nextIntBetween(0, LIFETIME_JITTER_MS)
        const follower: Follower = {
          sink,
          endsAt: now + LIFETIME_MS - jitter,
          cursor: since,
          state: "catching-up",
          stalledAt: 0
        }
        // A new feed starts where this follower's own read ended, and never beyond the end of the log, whatever `since`
        // says.
        const feed = feeds.get(session.sessionId) ?? open(session, Math.min(first.nextCursor, first.tail))
        feed.followers.add(follower)
        if (first.text !== "") write(feed, follower, first, now)
        feed.known = Math.max(feed.known, first.tail)
        if (follower.state === "catching-up") fork(catchUp(feed, follower))
        return () => leave(feed, follower)
      })

      const everyFollower = (visit: (feed: Feed, follower: Follower) => void) => {
        for (const feed of feeds.values()) for (const follower of feed.followers) visit(feed, follower)
      }

      // One timer for all connections: heartbeats, end of life, and readers that have not drained.
      let beatAt = (yield* Clock.currentTimeMillis) + HEARTBEAT_MS
      const tick = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const beat = now >= beatAt
        if (beat) beatAt = now + HEARTBEAT_MS
        everyFollower((feed, follower) => {
          if (now >= follower.endsAt) end(feed, follower)
          else if (follower.state === "stalled") {
            if (now - follower.stalledAt >= SLOW_READER_MS) end(feed, follower)
          } else if (beat) follower.sink.write(": \n\n")
        })
      })
      yield* Effect.sleep("1 second").pipe(Effect.andThen(tick), Effect.forever, Effect.forkScoped)

      const countFollowers = () => [...feeds.values()].reduce((sum, feed) => sum + feed.followers.size, 0)
      yield* observedGauge("troupe_open_streams", "Streams of session logs that are open here", countFollowers)

      const endAll = Effect.sync(() => everyFollower(end))
      yield* Effect.addFinalizer(() => endAll)

      return Feeds.of({
        follow,
        endAll,
        count: Effect.sync(countFollowers)
      })
    })
  )
}
