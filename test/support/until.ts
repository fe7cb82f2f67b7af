import { setTimeout as pause } from "node:timers/promises"

/** Milliseconds between two polls: a tenth of the time waited so far, within these limits. */
const SHORTEST = 10
const LONGEST = 40

/** Polls until there is a value (neither undefined nor false), and fails after a timeout. */
export const until = async <A>(
  what: string,
  look: () => A | undefined | false | Promise<A | undefined | false>,
  withinMs = 30_000
): Promise<A> => {
  const begunAt = performance.now()
  while (true) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    const waited = performance.now() - begunAt
    if (waited > withinMs) throw new Error(`${what}: not within ${withinMs} ms`)
    await pause(Math.min(LONGEST, Math.max(SHORTEST, waited / 10)))
  }
}
