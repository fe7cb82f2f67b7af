import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { logDatabaseError } from "#src/db/postgres/logDatabaseError.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { Membership } from "./Membership.ts"

/**
 * Work that is the same whichever process does it: release what nobody owns, and make due what has waited. About once a
 * second, the first worker that notices takes the turn and does all of it. So its cost does not grow with the number of
 * processes. If that worker dies or hangs, the next one takes the turn a second later: nobody waits for a particular
 * process, and nobody has to know how many there are.
 */
export class SharedSweeps extends Context.Service<
  SharedSweeps,
  {
    /** Adds a sweep until the scope closes. */
    readonly add: (sweep: Effect.Effect<void>) => Effect.Effect<void, never, Scope.Scope>
  }
>()("src/jobs/runner/SharedSweeps") {
  static readonly layer = Layer.effect(
    SharedSweeps,
    Effect.gen(function* () {
      const workers = yield* Workers
      const membership = yield* Membership
      const sweeps = new Set<Effect.Effect<void>>()

      // A process whose last sweep is still going on takes no turn.
      const sweep = Effect.gen(function* () {
        const worker = yield* membership.current
        if (sweeps.size === 0 || Option.isNone(worker) || !(yield* workers.takeSweep(worker.value))) return
        yield* Effect.forEach(sweeps, (sweep) => sweep, { concurrency: "unbounded", discard: true })
      }).pipe(Effect.catchTag("DatabaseError", logDatabaseError("shared sweep failed")))
      yield* membership
        .onPulse(({ sweep_due }) => (sweep_due ? sweep : Effect.void))
        .pipe(Effect.annotateLogs({ service: "SharedSweeps" }))

      return SharedSweeps.of({
        add: (sweep) =>
          Effect.acquireRelease(
            Effect.sync(() => sweeps.add(sweep)),
            () => Effect.sync(() => sweeps.delete(sweep))
          ).pipe(Effect.asVoid)
      })
    })
  )
}
