import { setTimeout as pause } from "node:timers/promises"
import { WAIT_MS } from "./patience.ts"

/** Milliseconds between two polls: a tenth of the time waited so far, within these limits. */
const SHORTEST = 10
const LONGEST = 40

type Look<A> = () => A | undefined | false | Promise<A | undefined | false>

/** Like `until`, with a limit of its own. For benchmarks and for grace periods: no test needs it. */
export const untilWithin = async <A>(withinMs: number, what: string | (() => string), look: Look<A>): Promise<A> => {
  const begunAt = performance.now()
  while (true) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    const waited = performance.now() - begunAt
    if (waited > withinMs) throw new Error(`${typeof what === "string" ? what : what()}: not within ${withinMs} ms`)
    await pause(Math.min(LONGEST, Math.max(SHORTEST, waited / 10)))
  }
}

/** Polls until there is a value (neither undefined nor false). Fails after `WAIT_MS`. */
export const until = <A>(what: string | (() => string), look: Look<A>): Promise<A> => untilWithin(WAIT_MS, what, look)
