import { setTimeout as pause } from "node:timers/promises"

/** Polls until there is a value (neither undefined nor false), and fails after a timeout. */
export const until = async <A>(
  what: string,
  look: () => A | undefined | false | Promise<A | undefined | false>,
  withinMs = 30_000
): Promise<A> => {
  const deadline = performance.now() + withinMs
  while (true) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`)
    await pause(10)
  }
}
