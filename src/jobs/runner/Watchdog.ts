import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { counter } from "#pipeline/telemetry/metric.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import { databaseDependency } from "#pipeline/telemetry/Dependency.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { Workers } from "#src/db/conversation/Workers.ts"

const rescues = counter("troupe_worker_rescues_total", "Dead workers whose work this process has released")

/** Every process checks twice a second for dead workers and has their work started again. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const crashed = yield* CrashedUnits
    const look = Effect.gen(function* () {
      // Crash counts have to be current before a dead worker's units are released, because they decide whether a unit
      // may be started again.
      yield* crashed.refresh
      const rescue = yield* workers.rescue
      yield* databaseDependency.worked()
      rescues.add(rescue.workers)
      if (rescue.workers > 0) yield* Effect.logWarning("rescued a dead worker's turns", rescue)
    }).pipe(Effect.catchTag("DatabaseError", logDatabaseError("watchdog check failed")))
    yield* repeatForever("500 millis", look).pipe(Effect.annotateLogs({ service: "Watchdog" }), Effect.forkScoped)
  })
)
