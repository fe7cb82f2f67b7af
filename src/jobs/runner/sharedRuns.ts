import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { makePlaces, placesFor } from "./places.ts"

/**
 * Works at runs that are claimed from a table, at so many of one app at once. It ends when no run is left or no place
 * is free for one: a job that waited would keep others from being fetched, and whoever is at work takes up what is
 * left.
 */
export const makeSharedRuns = Effect.fnUntraced(function* (oneApp: number) {
  const places = makePlaces(placesFor(oneApp))
  // One claim at a time: each counts the places that the one before it has taken.
  const claiming = yield* Semaphore.make(1)
  /** `claim`: the next run of none of these apps. */
  return <Run extends { readonly appId: string }, E, R>(
    claim: (except: ReadonlyArray<string>) => Effect.Effect<Run | undefined, E, R>,
    work: (run: Run) => Effect.Effect<void, E, R>
  ): Effect.Effect<void, E, R> => {
    const next = claiming.withPermits(1)(
      Effect.gen(function* () {
        const run = places.free() === 0 ? undefined : yield* claim(places.full())
        return run === undefined ? undefined : { run, leave: places.enter(run.appId) }
      })
    )
    // A claim is not interrupted on its way: a run that is ours and that we do not know of would wait for our death.
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
