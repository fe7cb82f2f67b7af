import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rounds } from "#channels/rounds.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { Workers } from "#src/db/conversation/Workers.ts"

/** Every process looks twice a second for workers that have died, and has what they ran begun again. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const crashed = yield* CrashedUnits
    const look = Effect.gen(function* () {
      // Before what a dead worker held is free, it must be known whether it may be begun again.
      yield* crashed.refresh
      const rescue = yield* workers.rescue
      if (rescue.workers > 0) yield* Effect.logWarning("rescued a dead worker's turns", rescue)
    }).pipe(
      Effect.catchTag("DatabaseError", (error) => Effect.logWarning("watchdog check failed", { reason: error.message }))
    )
    yield* rounds("500 millis", look).pipe(Effect.annotateLogs({ service: "Watchdog" }), Effect.forkScoped)
  })
)
