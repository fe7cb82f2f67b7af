import { outcomeOf } from "./outcome.ts"
import { readJsonBody } from "./readJsonBody.ts"

/** Values of a body other than an import's: what has more is refused before the server's own thread sees it. */
const MOST_VALUES = 50_000

/** Called by name from src/http/server/body/ParseWorkers.ts, on a thread of its own. */
export const json = (bytes: Uint8Array) =>
  outcomeOf(() => {
    const body = readJsonBody(bytes, MOST_VALUES)
    if ("error" in body) throw body.error
    return body.value
  })
