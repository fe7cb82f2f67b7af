import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { EventLog, type LogChunk, type LogPosition, type LogUnavailable } from "./EventLog.ts"
import { LogSignals } from "./LogSignals.ts"

/**
 * One page of the log as JSON. With `wait`, an empty page waits up to that long for an event, or until `giveUp`
 * completes. A page for a cursor that is beyond the end of the log does not wait. None: no such session.
 */
export const poll = Effect.fnUntraced(function* (
  position: LogPosition,
  limit: number,
  wait: Duration.Duration,
  giveUp: Effect.Effect<void>
): Effect.fn.Return<Option.Option<LogChunk>, LogUnavailable, EventLog | LogSignals> {
  const log = yield* EventLog
  const mayWait = (page: Option.Option<LogChunk>) =>
    Option.isSome(page) && page.value.text === "" && !page.value.isBeyond
  const read = log.read("json", position, limit)
  if (Duration.isZero(wait)) return yield* read

  const signals = yield* LogSignals
  const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
  // Subscribes before reading, so that no event is missed in between. A log that ends before the cursor may have lost
  // events since the last read, or the signal is late.
  return yield* Effect.scoped(
    Effect.gen(function* () {
      let grown = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() =>
          signals.subscribe(position, position.since, (cursor) => {
            if (cursor !== position.since) Deferred.doneUnsafe(grown, Effect.void)
          })
        ),
        (unsubscribe) => Effect.sync(unsubscribe)
      )
      while (true) {
        const page = yield* read
        const left = deadline - (yield* Clock.currentTimeMillis)
        if (!mayWait(page) || left <= 0) return page
        const givenUp = yield* Deferred.await(grown).pipe(
          Effect.as(false),
          Effect.raceFirst(Effect.as(giveUp, true)),
          Effect.timeoutOption(left)
        )
        if (Option.getOrElse(givenUp, () => false)) return page
        grown = yield* Deferred.make<void>()
      }
    })
  )
})
