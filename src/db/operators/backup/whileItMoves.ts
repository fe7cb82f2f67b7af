import * as Data from "effect/Data"

/** Nothing was read or written for so long that the work would probably never end. The message is one line. */
export class CopyStandsStill extends Data.TaggedError("CopyStandsStill")<{ readonly message: string }> {}

/** What ends a copy early. */
export interface Limits {
  readonly signal: AbortSignal
  /** How long it may stand still. */
  readonly stallMs: number
}

/** Watches the work from `begin` to `end`. Each further `begin` gives it as long again. */
export interface Watch {
  readonly begin: () => void
  /** Something has passed. */
  readonly passed: () => void
  /** What follows may take any time, without a sign of progress. */
  readonly end: () => void
}

/**
 * Runs work that copies tables or reads a file. Fails when it is aborted, and when it stands still for too long while
 * it is watched: then without waiting for the work, which may wait for an answer that never comes. The work is aborted.
 */
export const whileItMoves = async <A>(
  limits: Limits,
  work: (watch: Watch, signal: AbortSignal) => Promise<A>
): Promise<A> => {
  const still = new AbortController()
  const signal = AbortSignal.any([limits.signal, still.signal])
  let timer: NodeJS.Timeout | undefined
  const end = () => clearTimeout(timer)
  const begin = () => {
    end()
    timer = setTimeout(() => {
      const message = `no byte has passed for ${limits.stallMs / 1000} s: check the database, the disk and the network`
      still.abort(new CopyStandsStill({ message }))
    }, limits.stallMs)
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
