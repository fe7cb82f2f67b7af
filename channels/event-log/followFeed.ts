import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { AppFeed, type FeedFrames, type FeedRead } from "./AppFeed.ts"
import type { LogUnavailable } from "./EventLog.ts"
import { HEARTBEAT_MS, LIFETIME_JITTER_MS, LIFETIME_MS, type Sink, SLOW_READER_MS } from "./Feeds.ts"
import { GATHER_MS, watchGrowth } from "./growth.ts"
import type { LogSignals } from "./LogSignals.ts"
import { ReadRoom } from "./ReadRoom.ts"

/** Writes to the sink. True when its buffer is empty again, false if that takes too long. */
const write = (sink: Sink, text: string) =>
  Effect.gen(function* () {
    if (text === "" || sink.write(text)) return true
    const empty = yield* Deferred.make<boolean>()
    sink.onDrain(() => Deferred.doneUnsafe(empty, Effect.succeed(true)))
    return yield* Deferred.await(empty).pipe(
      Effect.timeoutOrElse({ duration: SLOW_READER_MS, orElse: () => Effect.succeed(false) })
    )
  })

/**
 * Writes an app's feed to the sink, beginning with the chunk that the caller has just read, and then as it grows.
 * Returns when the connection has lasted long enough, when the reader is too slow, or when events after its place are
 * gone: it learns that when it reconnects.
 */
export const followFeed = Effect.fnUntraced(function* (
  from: FeedRead,
  first: FeedFrames,
  sink: Sink
): Effect.fn.Return<void, LogUnavailable, AppFeed | LogSignals> {
  const feed = yield* AppFeed
  const jitter = yield* Random.nextIntBetween(0, LIFETIME_JITTER_MS)
  const endsAt = (yield* Clock.currentTimeMillis) + LIFETIME_MS - jitter
  yield* Effect.scoped(
    Effect.gen(function* () {
      const growth = yield* watchGrowth(from.appId)
      let page = first
      let readAt = yield* Clock.currentTimeMillis
      while (true) {
        const { hasMore, next: since } = page
        const written = yield* write(sink, page.text)
        const left = endsAt - (yield* Clock.currentTimeMillis)
        if (!written || left <= 0) return
        if (!hasMore) {
          const isQuiet = yield* growth.pipe(
            Effect.as(false),
            Effect.timeoutOrElse({ duration: Math.min(left, HEARTBEAT_MS), orElse: () => Effect.succeed(true) })
          )
          if (isQuiet && !(yield* write(sink, ": \n\n"))) return
          yield* Effect.sleep(Math.max(0, readAt + GATHER_MS - (yield* Clock.currentTimeMillis)))
          readAt = yield* Clock.currentTimeMillis
        }
        const next = yield* Effect.provideService(feed.readFrames({ ...from, since }), ReadRoom, sink.room)
        if (next._tag === "Lost") return
        page = next
      }
    })
  )
})
