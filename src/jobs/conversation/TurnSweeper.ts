import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { repeatForever } from "#channels/repeatForever.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { TurnRunner } from "./TurnRunner.ts"

/** Finds waiting turns without a job. Closes the turn runner before anything else stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const runningTurns = yield* TurnRunner
    const sweep = Effect.gen(function* () {
      yield* runningTurns.reconcile
      const woken = yield* workers.sweep(yield* runningTurns.waitingApps)
      if (woken > 0) yield* Effect.logInfo("sweeper started waiting turns", { turns: woken })
    }).pipe(Effect.catchTag("DatabaseError", logDatabaseError("turn sweep failed")))
    yield* repeatForever("1 second", sweep).pipe(Effect.annotateLogs({ service: "Sweeper" }), Effect.forkScoped)
    // This finalizer runs first. While running turns get time to finish, no new ones begin.
    yield* Effect.addFinalizer(() => runningTurns.close)
  })
)
