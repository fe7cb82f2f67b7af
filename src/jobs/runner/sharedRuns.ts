import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { makeSlots, slotsFor } from "./slots.ts"

/**
 * Works on runs that are claimed from a table, with a limit per app. Ends when no run is left or no slot is free. A job
 * must not wait, because that would keep others from being fetched; those already working take the remaining runs.
 */
export const makeSharedRuns = Effect.fnUntraced(function* (oneApp: number) {
  const slots = makeSlots(slotsFor(oneApp))
  // One claim at a time, because each counts the slots that the previous one took.
  const claiming = yield* Semaphore.make(1)
  /** `claim`: claims the next run that belongs to none of these apps. */
  return <Run extends { readonly appId: string }, E, R>(
    claim: (except: ReadonlyArray<string>) => Effect.Effect<Run | undefined, E, R>,
    work: (run: Run) => Effect.Effect<void, E, R>
  ): Effect.Effect<void, E, R> => {
    const next = claiming.withPermits(1)(
      Effect.gen(function* () {
        const run = slots.free() === 0 ? undefined : yield* claim(slots.fullApps())
        return run === undefined ? undefined : { run, leave: slots.enter(run.appId) }
      })
    )
    // A claim is not interrupted halfway: a run that is claimed without our knowledge would stay claimed until this
    // process ends.
    const one = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const taken = yield* next
        if (taken === undefined) return false
        yield* restore(work(taken.run)).pipe(Effect.ensuring(taken.leave))
        return true
      })
    )
    return Effect.asVoid(Effect.repeat(one, { while: (more) => more }))
  }
})
