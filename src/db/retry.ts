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

/** Waits out a database that cannot be reached. For work that must end and may take its time; a request must not wait. */
export const untilReachable = <A, R>(effect: Effect.Effect<A, DatabaseError, R>): Effect.Effect<A, DatabaseError, R> => Effect.retry(effect, patience)
