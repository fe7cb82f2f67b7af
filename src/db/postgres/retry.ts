import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { DatabaseError } from "./Database.ts"

const patience = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<DatabaseError>(),
  Schedule.while(({ input }) => input.reason === "unreachable"),
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.seconds(1))))
)

/**
 * Waits out a database that cannot be reached. For work that must end and may take its time; a request must not wait.
 */
export const untilReachable = <A, R>(effect: Effect.Effect<A, DatabaseError, R>): Effect.Effect<A, DatabaseError, R> =>
  Effect.retry(effect, patience)

const START_PATIENCE = Schedule.spaced("1 second").pipe(
  Schedule.upTo({ times: 15 }),
  Schedule.setInputType<DatabaseError>(),
  Schedule.while(({ input }) => input.reason === "unreachable")
)

/** At start: a database that is only just coming up, or going over to another host, is waited for a while. */
export const whileStarting = <A, R>(effect: Effect.Effect<A, DatabaseError, R>): Effect.Effect<A, DatabaseError, R> =>
  effect.pipe(
    Effect.tapError((error) =>
      Effect.logWarning("starting, but the database does not answer", { reason: error.message })
    ),
    Effect.retry(START_PATIENCE)
  )
