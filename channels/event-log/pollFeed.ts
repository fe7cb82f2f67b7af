import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AppFeed, type FeedChunk, type FeedLost, type FeedRead } from "./AppFeed.ts"
import type { LogUnavailable } from "./EventLog.ts"
import { watchGrowth } from "./growth.ts"
import type { LogSignals } from "./LogSignals.ts"

/**
 * One page of the feed. With `wait`, an empty page waits up to that long for an event, or until `giveUp` completes, and
 * a filter looks on.
 */
export const pollFeed = Effect.fnUntraced(function* (
  from: FeedRead,
  wait: Duration.Duration,
  giveUp: Effect.Effect<void>
): Effect.fn.Return<FeedChunk | FeedLost, LogUnavailable, AppFeed | LogSignals> {
  const feed = yield* AppFeed
  if (Duration.isZero(wait)) return yield* feed.read(from)

  const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
  return yield* Effect.scoped(
    Effect.gen(function* () {
      // Subscribes before reading, so that no event is missed in between.
      const growth = yield* watchGrowth(from.appId)
      let since = from.since
      while (true) {
        const page = yield* feed.read({ ...from, since })
        if (page._tag === "Lost" || page.events.length > 0) return page
        since = page.next
        const left = deadline - (yield* Clock.currentTimeMillis)
        if (left <= 0) return page
        if (page.hasMore) continue
        const givenUp = yield* growth.pipe(
          Effect.as(false),
          Effect.raceFirst(Effect.as(giveUp, true)),
          Effect.timeoutOption(left)
        )
        if (Option.getOrElse(givenUp, () => false)) return page
      }
    })
  )
})
