import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { counter } from "#pipeline/telemetry/metric.ts"
import { repeatForever } from "#channels/repeatForever.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import type { Watch } from "#src/db/conversation/pulse.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Membership } from "./Membership.ts"

const rescues = counter("troupe_worker_rescues_total", "Dead workers whose work this process has released")

const service = Effect.annotateLogs({ service: "Watchdog" })

/** Learns which units are given up. If a neighbour seems to be dead, has the work of all dead workers started again. */
const makeLook = Effect.gen(function* () {
  const workers = yield* Workers
  const crashed = yield* CrashedUnits
  const rescueAll = Effect.gen(function* () {
    // Crash counts have to be current before a dead worker's units are released, because they decide whether a unit
    // may be started again.
    yield* crashed.refresh
    const rescue = yield* workers.rescue
    rescues.add(rescue.workers)
    if (rescue.workers > 0) yield* Effect.logWarning("rescued a dead worker's turns", rescue)
  })
  return Effect.fnUntraced(
    function* ({ dead, given_up }: Watch) {
      yield* crashed.learn(given_up)
      if (dead) yield* rescueAll
    },
    Effect.catchTag("DatabaseError", logDatabaseError("watchdog check failed"))
  )
})

/** In a worker, each pulse says what has to be known. */
export const ofWorker = Layer.effectDiscard(
  Effect.gen(function* () {
    const membership = yield* Membership
    yield* membership.onPulse(yield* makeLook).pipe(service)
  })
)

/** A process that is no worker asks by itself every second. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { watch } = yield* Workers
    const look = yield* makeLook
    yield* repeatForever(
      "1 second",
      Effect.flatMap(watch, look).pipe(Effect.catchTag("DatabaseError", logDatabaseError("watchdog check failed")))
    ).pipe(service, Effect.forkScoped)
  })
)
