import * as Effect from "effect/Effect"

/** How long such work may take in one round of the event loop, in milliseconds. */
const ROUND_MS = 10

/**
 * Yields to other work of this process before work that takes some time. Turns become ready, and are extracted, in
 * batches. Work of one app runs in order, apps take turns, and each round of the event loop does only a little of it.
 * So a request waits for a few items and not for all, and an app waits for one item of each other app and not for the
 * whole queue of a busy one.
 */
export const makeYieldBudget = (): ((appId: string) => Effect.Effect<void>) => {
  // A served app goes to the end of the map.
  const waiting = new Map<string, Array<() => void>>()
  let isDue = false
  const scheduleRound = () => {
    if (isDue || waiting.size === 0) return
    isDue = true
    setImmediate(runRound)
  }
  const serveNext = () => {
    for (const [appId, queue] of waiting) {
      const runRound = queue.shift()
      waiting.delete(appId)
      if (queue.length > 0) waiting.set(appId, queue)
      return runRound?.()
    }
  }
  const runRound = () => {
    const begunAt = performance.now()
    while (waiting.size > 0 && performance.now() - begunAt < ROUND_MS) serveNext()
    isDue = false
    scheduleRound()
  }
  return (appId) =>
    Effect.callback((resume) => {
      const go = () => resume(Effect.void)
      const queue = waiting.get(appId)
      if (queue === undefined) waiting.set(appId, [go])
      else queue.push(go)
      scheduleRound()
    })
}
