import { outcomeOf } from "./outcome.ts"
import { readJsonBody } from "./readJsonBody.ts"

/**
 * Maximum number of values in a body, except for imports. A larger body is refused before it reaches the main thread.
 */
const MAX_VALUES = 50_000

/** Called by name from src/http/server/body/ParseWorkers.ts, on a thread of its own. */
export const json = (bytes: Uint8Array) =>
  outcomeOf(() => {
    const body = readJsonBody(bytes, MAX_VALUES)
    if ("error" in body) throw body.error
    return body.value
  })
