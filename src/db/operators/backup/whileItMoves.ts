import * as Data from "effect/Data"

/** How long a copy may stand still. A slow disk or a busy database holds it up for less. */
const STILL_MS = 30_000

/** Nothing was read or written for so long that the copy would probably never end. The message is one line. */
export class CopyStandsStill extends Data.TaggedError("CopyStandsStill")<{ readonly message: string }> {}

/** Watches one copy after the other, from `begin` to `end`. */
export interface Watch {
  readonly begin: () => void
  /** Something has passed. */
  readonly passed: () => void
  readonly end: () => void
}

/**
 * Runs work that copies tables or reads a file. Fails when it is aborted, and when a copy stands still for 30 seconds:
 * then without waiting for the work, which may wait for an answer that never comes. The work is aborted.
 */
export const whileItMoves = async <A>(
  outer: AbortSignal,
  work: (watch: Watch, signal: AbortSignal) => Promise<A>
): Promise<A> => {
  const still = new AbortController()
  const signal = AbortSignal.any([outer, still.signal])
  let timer: NodeJS.Timeout | undefined
  const end = () => clearTimeout(timer)
  const begin = () => {
    end()
    timer = setTimeout(() => {
      const message = `no byte has passed for ${STILL_MS / 1000} s: check the database, the disk and the network`
      still.abort(new CopyStandsStill({ message }))
    }, STILL_MS)
  }
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true })
  })
  signal.throwIfAborted()
  const working = work({ begin, passed: () => timer?.refresh(), end }, signal)
  working.catch(() => {})
  try {
    return await Promise.race([working, aborted])
  } finally {
    end()
  }
}
