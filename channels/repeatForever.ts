import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/**
 * Repeats the work forever, with a pause in between. A defect ends one round and is logged, and the next round follows.
 */
export const repeatForever = <R>(
  pause: Duration.Input,
  work: Effect.Effect<unknown, never, R>
): Effect.Effect<never, never, R> =>
  work.pipe(
    Effect.catchDefect((defect) => Effect.logError("background loop iteration failed", defect)),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever
  )
