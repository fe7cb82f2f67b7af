import { setTimeout as pause } from "node:timers/promises"
import { WAIT_MS } from "./patience.ts"

/** Milliseconds between two polls: a tenth of the time waited so far, within these limits. */
const SHORTEST = 10
const LONGEST = 40

/** Polls until there is a value (neither undefined nor false). Fails after `WAIT_MS`. */
export const until = async <A>(
  what: string | (() => string),
  look: () => A | undefined | false | Promise<A | undefined | false>
): Promise<A> => {
  const begunAt = performance.now()
  while (true) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    const waited = performance.now() - begunAt
    if (waited > WAIT_MS) throw new Error(`${typeof what === "string" ? what : what()}: not within ${WAIT_MS} ms`)
    await pause(Math.min(LONGEST, Math.max(SHORTEST, waited / 10)))
  }
}
