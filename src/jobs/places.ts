import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"

/**
 * Room for so many at once: work waits for a place, and gives it to the next.
 * Tokens in a queue and not a semaphore: a burst has thousands wait, and a semaphore looks through its waiters at each release.
 */
export const makePlaces = Effect.fnUntraced(function*(count: number) {
  const places = yield* Queue.unbounded<void>()
  yield* Queue.offerAll(places, Array.from({ length: count }, () => undefined))
  return <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.acquireUseRelease(Queue.take(places), () => work, () => Queue.offer(places, undefined))
})
