import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { clockSeconds, histogram, QUICK_SECONDS } from "#pipeline/telemetry/metric.ts"
import { repeatForever } from "../repeatForever.ts"
import { EventLog } from "./EventLog.ts"
import { LogSignals } from "./LogSignals.ts"

/** Sessions per check. If more are watched, they are checked in turn. */
const SESSIONS_PER_LOOK = 1000

const lookSeconds = histogram(
  "troupe_log_watch_seconds",
  "Time of one check of the watched logs for events that no notification has announced",
  QUICK_SECONDS
)

/** Where a log ends that no longer exists: before its first event, so that all of its readers look. */
const ERASED = -1

/**
 * The guarantee behind the notifications: while there are listeners, the ends of the watched logs are checked every 100
 * ms. So a lost notification only delays a reader. A log that was erased or has lost events in a failover is found as
 * well.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const log = yield* EventLog
    const signals = yield* LogSignals
    let next = 0
    const seen = new Map<string, number>()

    const look = Effect.gen(function* () {
      const watched = signals.watched()
      if (watched.length === 0) return seen.clear()
      if (next >= watched.length) next = 0
      const slice = watched.slice(next, next + SESSIONS_PER_LOOK)
      next += SESSIONS_PER_LOOK
      const startedAt = clockSeconds()
      const known = new Map(slice.map((session) => [session.sessionId, session.known]))
      const tails = new Map((yield* log.tails(slice)).map((tail) => [tail.sessionId, tail.cursor]))
      const changed = slice
        .map(({ appId, sessionId }) => ({ appId, sessionId, cursor: tails.get(sessionId) ?? ERASED }))
        .filter(({ sessionId, cursor }) => seen.get(sessionId) !== cursor || cursor < (known.get(sessionId) ?? 0))
      for (const { sessionId, cursor } of changed) seen.set(sessionId, cursor)
      signals.found(changed)
      lookSeconds.record(clockSeconds() - startedAt)
    }).pipe(Effect.catchTag("LogUnavailable", () => Effect.void))

    yield* repeatForever("100 millis", look).pipe(Effect.annotateLogs({ service: "LogWatch" }), Effect.forkScoped)
  })
)
