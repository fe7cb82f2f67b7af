import * as Effect from "effect/Effect"

const waiting: Array<() => void> = []

const next = () => {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(next)
}

/**
 * Lets others of this process go on before what takes it a while. Turns become ready by the batch: those who take a breath
 * go on one in a round of the event loop, so that a request waits for one of them, and not for all.
 */
export const breath: Effect.Effect<void> = Effect.callback((resume) => {
  waiting.push(() => resume(Effect.void))
  if (waiting.length === 1) setImmediate(next)
})
