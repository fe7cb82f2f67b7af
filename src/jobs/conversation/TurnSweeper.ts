import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { rounds } from "#channels/rounds.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { TurnRunner } from "./TurnRunner.ts"

/** Finds the waiting turns that no job covers, and closes the runner of turns before anything else stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const workers = yield* Workers
    const runningTurns = yield* TurnRunner
    const sweep = Effect.gen(function* () {
      yield* runningTurns.review
      const woken = yield* workers.sweep(yield* runningTurns.crowded)
      if (woken > 0) yield* Effect.logInfo("sweeper started waiting turns", { turns: woken })
    }).pipe(
      Effect.catchTag("DatabaseError", (error) => Effect.logWarning("turn sweep failed", { reason: error.message }))
    )
    yield* rounds("1 second", sweep).pipe(Effect.annotateLogs({ service: "Sweeper" }), Effect.forkScoped)
    // The first to go when the process stops: while running turns are given time, no other is begun.
    yield* Effect.addFinalizer(() => runningTurns.close)
  })
)
