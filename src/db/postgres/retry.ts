import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { DatabaseError } from "./Database.ts"

const retrySchedule = Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]).pipe(
  Schedule.jittered,
  Schedule.setInputType<DatabaseError>(),
  Schedule.while(({ input }) => input.reason === "unreachable"),
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, Duration.seconds(1))))
)

/**
 * Retries until the database can be reached. For work that has to complete and may take time. Requests must not wait.
 */
export const untilReachable = <A, R>(effect: Effect.Effect<A, DatabaseError, R>): Effect.Effect<A, DatabaseError, R> =>
  Effect.retry(effect, retrySchedule)

const START_SCHEDULE = Schedule.spaced("1 second").pipe(
  Schedule.upTo({ times: 15 }),
  Schedule.setInputType<DatabaseError>(),
  Schedule.while(({ input }) => input.reason === "unreachable")
)

/** At startup, waits for some time for a database that is starting or failing over. */
export const whileStarting = <A, R>(effect: Effect.Effect<A, DatabaseError, R>): Effect.Effect<A, DatabaseError, R> =>
  effect.pipe(
    Effect.tapError((error) =>
      Effect.logWarning("starting, but the database does not answer", { reason: error.message })
    ),
    Effect.retry(START_SCHEDULE)
  )
