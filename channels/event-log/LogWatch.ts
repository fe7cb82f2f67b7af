import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rounds } from "../rounds.ts"
import { EventLog } from "./EventLog.ts"
import { LogSignals } from "./LogSignals.ts"

/** Sessions of one look. With more of them watched, each is looked at in turn. */
const SESSIONS_A_LOOK = 1000

/**
 * The guarantee behind the signals: every 100 ms, while somebody listens, the watched logs are asked where they end.
 * A lost notification therefore delays a reader, and never leaves one behind.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const log = yield* EventLog
    const signals = yield* LogSignals
    let next = 0

    const look = Effect.gen(function* () {
      const watched = signals.watched()
      if (watched.length === 0) return
      if (next >= watched.length) next = 0
      const slice = watched.slice(next, next + SESSIONS_A_LOOK)
      next += SESSIONS_A_LOOK
      signals.hear(yield* log.tails(slice))
    }).pipe(Effect.catchTag("LogUnavailable", () => Effect.void))

    yield* rounds("100 millis", look).pipe(Effect.annotateLogs({ service: "LogWatch" }), Effect.forkScoped)
  })
)
