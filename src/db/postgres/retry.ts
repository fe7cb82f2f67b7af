import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { databaseDependency, OUT_OF_RESOURCES } from "#pipeline/telemetry/Dependency.ts"
import type { DatabaseError } from "./Database.ts"
import { isLacking } from "./sqlState.ts"

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

/** Waits longer and longer, but a database that has space again is noticed within seconds. */
const MOST_SPACE_DELAY = Duration.seconds(5)
const spaceSchedule = Schedule.exponential("500 millis").pipe(
  Schedule.modifyDelay(({ duration }) => Effect.succeed(Duration.min(duration, MOST_SPACE_DELAY))),
  Schedule.jittered,
  Schedule.setInputType<DatabaseError>(),
  Schedule.while(({ input }) => isLacking(input.sqlState))
)

/**
 * Retries a write until the database has space for it. For what has been made at a cost, such as by a model, and would
 * have to be made again. Nothing was committed by a try that failed for lack of space.
 */
export const untilThereIsSpace = <A, R>(
  effect: Effect.Effect<A, DatabaseError, R>
): Effect.Effect<A, DatabaseError, R> =>
  effect.pipe(
    Effect.tapError(({ sqlState }) =>
      isLacking(sqlState) ? databaseDependency.failed(OUT_OF_RESOURCES) : Effect.void
    ),
    Effect.retry(spaceSchedule)
  )

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
