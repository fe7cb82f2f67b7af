import * as Effect from "effect/Effect"
import { makeYieldBudget } from "./yieldBudget.ts"

/** How long such work runs before others may. */
const SLICE_MS = 5

const yieldBudget = makeYieldBudget()

/**
 * Work on this thread that would take long in one go. It may stop after each of its steps, and lets other work run
 * every few milliseconds. It always stops after the first step, because the caller may have worked for long before it.
 * Apps take turns.
 */
export const inSlices = <A>(appId: string, steps: () => Generator<void, A>): Effect.Effect<A> =>
  Effect.suspend(() => {
    const work = steps()
    const sliceOf = (ms: number): Effect.Effect<A> =>
      Effect.suspend(() => {
        const begunAt = performance.now()
        let step = work.next()
        while (step.done !== true && performance.now() - begunAt < ms) step = work.next()
        return step.done === true ? Effect.succeed(step.value) : Effect.andThen(yieldBudget(appId), sliceOf(SLICE_MS))
      })
    return sliceOf(0)
  })
