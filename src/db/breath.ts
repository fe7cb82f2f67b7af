import * as Effect from "effect/Effect"

/** How much of such work one round of the event loop does, in milliseconds. */
const A_ROUND = 10

/**
 * Lets others of this process go on before what takes it a while. Turns become ready, and are read, by the batch: those who take the same
 * breath go on in their order, a few in each round of the event loop, so that a request waits for these, and not for all.
 */
export const makeBreath = (): Effect.Effect<void> => {
  const waiting: Array<() => void> = []
  let isDue = false
  const askForARound = () => {
    if (isDue || waiting.length === 0) return
    isDue = true
    setImmediate(goOn)
  }
  const goOn = () => {
    const begunAt = performance.now()
    while (waiting.length > 0 && performance.now() - begunAt < A_ROUND) waiting.shift()?.()
    isDue = false
    askForARound()
  }
  return Effect.callback((resume) => {
    waiting.push(() => resume(Effect.void))
    askForARound()
  })
}
