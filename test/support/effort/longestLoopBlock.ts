import { setTimeout as pause } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

setFlagsFromString("--expose-gc")
/** Collects everything that is no longer referenced. */
export const collect = runInNewContext("gc") as () => void

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/**
 * Between two looks. A look sums the turns since the one before, so it exceeds the last of them by no more than this.
 * Looking in every turn would keep the processor busy while the work only waits.
 */
const LOOK_EVERY_MS = 1

/**
 * The result, and the CPU time in milliseconds of the longest turn of this thread's event loop, during which nothing
 * else was served, or up to a millisecond more. Other load on the machine does not count.
 */
export const longestLoopBlock = async <A>(
  work: () => Promise<A>
): Promise<{ readonly result: A; readonly turnMs: number }> => {
  // Garbage of earlier code must not be collected during the measurement.
  collect()
  let turnMs = 0
  const over = new AbortController()
  const watch = async () => {
    for (let before = cpuMs(); !over.signal.aborted;) {
      await pause(LOOK_EVERY_MS)
      const now = cpuMs()
      turnMs = Math.max(turnMs, now - before)
      before = now
    }
  }
  const watching = watch()
  try {
    return {
      result: await work(),
      get turnMs() {
        return turnMs
      }
    }
  } finally {
    over.abort()
    await watching
  }
}
