import * as Effect from "effect/Effect"

/** How long such work may take in one round of the event loop, in milliseconds. */
const A_ROUND = 10

/**
 * Yields to other work of this process before work that takes some time. Turns become ready, and are extracted, in
 * batches. Work of one app runs in order, apps take turns, and each round of the event loop does only a little of it.
 * So a request waits for a few items and not for all, and an app waits for one item of each other app and not for the
 * whole queue of a busy one.
 */
export const makeBreath = (): ((appId: string) => Effect.Effect<void>) => {
  // A served app goes to the end of the map.
  const waiting = new Map<string, Array<() => void>>()
  let isDue = false
  const askForARound = () => {
    if (isDue || waiting.size === 0) return
    isDue = true
    setImmediate(goOn)
  }
  const serveNext = () => {
    for (const [appId, queue] of waiting) {
      const goOn = queue.shift()
      waiting.delete(appId)
      if (queue.length > 0) waiting.set(appId, queue)
      return goOn?.()
    }
  }
  const goOn = () => {
    const begunAt = performance.now()
    while (waiting.size > 0 && performance.now() - begunAt < A_ROUND) serveNext()
    isDue = false
    askForARound()
  }
  return (appId) =>
    Effect.callback((resume) => {
      const go = () => resume(Effect.void)
      const queue = waiting.get(appId)
      if (queue === undefined) waiting.set(appId, [go])
      else queue.push(go)
      askForARound()
    })
}
