import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Outcome } from "#pipeline/domain/Turn.ts"
import { type Lease, Turns } from "#src/db/conversation/Turns.ts"
import { Membership } from "#src/jobs/runner/Membership.ts"
import { stoppedOutcome } from "./runTurn.ts"

const nameOf = ({ sessionId, turnIndex, fence }: Lease) => `${sessionId} ${turnIndex} ${fence}`

/** The turns that this process is running, and how to stop each. */
export const makeRunningTurns = Effect.gen(function* () {
  const turns = yield* Turns
  const membership = yield* Membership
  const running = new Map<string, Deferred.Deferred<Outcome>>()

  /** Registers the turn as running while the work lasts. */
  const track = <A, E, R>(lease: Lease, work: (stop: Deferred.Deferred<Outcome>) => Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.tap(Deferred.make<Outcome>(), (stop) => Effect.sync(() => running.set(nameOf(lease), stop))),
      work,
      () => Effect.sync(() => running.delete(nameOf(lease)))
    )

  // An unregistered turn may still be on its way here. It is released only if the next review also finds it.
  let suspects: ReadonlySet<string> = new Set()
  const reconcile = Effect.gen(function* () {
    const owner = yield* membership.current
    const held = Option.isNone(owner) ? [] : yield* turns.heldBy(owner.value)
    for (const lease of held) {
      const stop = lease.stopped ? running.get(nameOf(lease)) : undefined
      if (stop !== undefined) yield* Deferred.succeed(stop, stoppedOutcome)
    }
    const strays = held.filter((lease) => !running.has(nameOf(lease)))
    for (const stray of strays.filter((lease) => suspects.has(nameOf(lease)))) yield* turns.release(stray, [])
    suspects = new Set(strays.map(nameOf))
  })

  return { track, reconcile }
})

export type RunningTurns = Effect.Success<typeof makeRunningTurns>
