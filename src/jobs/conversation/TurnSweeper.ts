import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Workers } from "#src/db/conversation/Workers.ts"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { SharedSweeps } from "#src/jobs/runner/SharedSweeps.ts"
import { TurnRunner } from "./TurnRunner.ts"

const failed = logDatabaseError("turn sweep failed")
const service = Effect.annotateLogs({ service: "Sweeper" })

/** Finds waiting turns without a job. Closes the turn runner before anything else stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const membership = yield* Membership
    const sweeps = yield* SharedSweeps
    const runningTurns = yield* TurnRunner
    const report = (turns: number) =>
      turns > 0 ? Effect.logInfo("sweeper started waiting turns", { turns }) : Effect.void

    yield* sweeps.add(
      workers.releaseOwnerless.pipe(Effect.flatMap(report), Effect.catchTag("DatabaseError", failed), service)
    )
    yield* membership.onPulse(({ holds_turns, late_turns }) =>
      Effect.gen(function* () {
        if (holds_turns) yield* runningTurns.reconcile
        // Each process looks for late turns, because it leaves those of apps whose turns already wait in it to others.
        if (late_turns) yield* report(yield* workers.wakeLate(yield* runningTurns.waitingApps))
      }).pipe(Effect.catchTag("DatabaseError", failed), service)
    )
    // This finalizer runs first. While running turns get time to finish, no new ones begin.
    yield* Effect.addFinalizer(() => runningTurns.close)
  })
)
