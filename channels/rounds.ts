import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

/** Does the work over and over, with a pause between. A defect ends its round and is logged; the rounds go on. */
export const rounds = <R>(
  pause: Duration.Input,
  work: Effect.Effect<unknown, never, R>
): Effect.Effect<never, never, R> =>
  work.pipe(
    Effect.catchDefect((defect) => Effect.logError("background loop iteration failed", defect)),
    Effect.andThen(Effect.sleep(pause)),
    Effect.forever
  )
