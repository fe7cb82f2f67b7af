import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { setImmediate } from "node:timers/promises"
import { SLOW_READER_MS } from "#channels/event-log/Feeds.ts"

/**
 * Resolves when the client has taken what was sent, or has left. One that takes nothing for a while is left: what it
 * does not read stays in memory.
 */
export const drainedOf = (response: ServerResponse) => async (): Promise<void> => {
  // What was just sent reaches the response in the next turn of the event loop.
  await setImmediate()
  if (!response.writableNeedDrain) return
  const timer = setTimeout(() => response.destroy(), SLOW_READER_MS)
  await Promise.race([once(response, "drain"), once(response, "close")]).catch(() => {})
  clearTimeout(timer)
}
