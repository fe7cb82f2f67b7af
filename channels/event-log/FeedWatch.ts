import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { repeatForever } from "../repeatForever.ts"
import { AppFeed } from "./AppFeed.ts"
import { LogSignals } from "./LogSignals.ts"

/** Apps per check. If more are watched, they are checked in turn. */
const APPS_PER_LOOK = 500

/**
 * The guarantee behind the notifications, for feeds: while there are readers, the newest event of each of their apps is
 * looked up every 100 ms. An event that was announced before the feed could show it, because an older transaction was
 * still open, is found here, too.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const feed = yield* AppFeed
    const signals = yield* LogSignals
    const seen = new Map<string, string>()
    let next = 0

    const look = Effect.gen(function* () {
      const watched = signals.watchedApps()
      if (watched.length === 0) return seen.clear()
      if (next >= watched.length) next = 0
      const slice = watched.slice(next, next + APPS_PER_LOOK)
      next += APPS_PER_LOOK
      for (const [appId, head] of yield* feed.heads(slice)) {
        if (seen.get(appId) === head) continue
        seen.set(appId, head)
        signals.wakeApp(appId)
      }
    }).pipe(Effect.catchTag("LogUnavailable", () => Effect.void))

    yield* repeatForever("100 millis", look).pipe(Effect.annotateLogs({ service: "FeedWatch" }), Effect.forkScoped)
  })
)
