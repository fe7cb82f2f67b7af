import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { EventLog, type LogChunk, type LogPosition, type LogUnavailable } from "./EventLog.ts"
import { LogSignals } from "./LogSignals.ts"
import { type TurnEnd, TurnEnds } from "./TurnEnds.ts"

/** A silent end leaves the log as it is. If its notification is lost, it is found at the next of these checks. */
const CHECK_MS = 1000

/**
 * One page of the log as JSON, and how a turn stands. Waits until that turn has ended, but not longer than `wait` or
 * until `giveUp` completes, and not if the page is full or the cursor is beyond the end of the log. None: no such
 * session or turn.
 */
export const pollTurn = Effect.fnUntraced(function* (
  position: LogPosition,
  limit: number,
  runRef: string,
  wait: Duration.Duration,
  giveUp: Effect.Effect<void>
): Effect.fn.Return<
  Option.Option<{ readonly page: LogChunk; readonly turn: TurnEnd | undefined }>,
  LogUnavailable,
  EventLog | LogSignals | TurnEnds
> {
  const [log, turns, signals] = [yield* EventLog, yield* TurnEnds, yield* LogSignals]
  const deadline = (yield* Clock.currentTimeMillis) + Duration.toMillis(wait)
  // Subscribes before reading, so that no end is missed in between.
  return yield* Effect.scoped(
    Effect.gen(function* () {
      let changed = yield* Deferred.make<void>()
      yield* Effect.acquireRelease(
        Effect.sync(() => signals.subscribe(position, position.since, () => Deferred.doneUnsafe(changed, Effect.void))),
        (unsubscribe) => Effect.sync(unsubscribe)
      )
      while (true) {
        // In this order, so that the page has the events of a turn that has ended.
        const turn = yield* turns.find(position, runRef)
        const page = yield* log.read("json", position, limit)
        // The turn may be lost with the events.
        if (Option.isSome(page) && page.value.isBeyond) return Option.some({ page: page.value, turn })
        if (turn === undefined || Option.isNone(page)) return Option.none()
        const left = deadline - (yield* Clock.currentTimeMillis)
        const isFull = page.value.text !== "" && page.value.nextCursor < page.value.tail
        if (turn.outcome !== null || isFull || left <= 0) return Option.some({ page: page.value, turn })
        const givenUp = yield* Deferred.await(changed).pipe(
          Effect.as(false),
          Effect.raceFirst(Effect.as(giveUp, true)),
          Effect.timeoutOption(Math.min(left, CHECK_MS))
        )
        if (Option.getOrElse(givenUp, () => false)) return Option.some({ page: page.value, turn })
        changed = yield* Deferred.make<void>()
      }
    })
  )
})
