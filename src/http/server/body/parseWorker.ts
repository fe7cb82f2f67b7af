import { ImportRefused } from "#src/imports/ImportRefused.ts"
import { importRefused } from "#src/http/character/importErrors.ts"
import { ApiError } from "#src/http/server/ApiError.ts"
import { readJsonBody } from "./readJsonBody.ts"
import { reviewBundle } from "#src/http/character/reviewBundle.ts"
import { stageImport } from "#src/http/character/stageImport.ts"

/** The result of a thread. An error is passed by its fields, because class instances cannot be transferred. */
export type Outcome<A> =
  | { readonly value: A }
  | { readonly refused: Pick<ApiError, "status" | "code" | "message" | "fix"> }

const refused = (error: ApiError): Outcome<never> => {
  const { status, code, message, fix } = error
  return { refused: { status, code, message, fix } }
}

const outcomeOf = async <A>(work: () => Promise<A>): Promise<Outcome<A>> => {
  try {
    return { value: await work() }
  } catch (thrown) {
    if (thrown instanceof ApiError) return refused(thrown)
    if (thrown instanceof ImportRefused) return refused(importRefused(thrown.reason, thrown.problem))
    throw thrown
  }
}

/**
 * Maximum number of values in a body, except for imports. A larger body is refused before it reaches the main thread.
 */
const MOST_VALUES = 50_000

// The functions that src/http/server/body/ParseWorkers.ts calls by name on a separate thread.

export const json = (bytes: Uint8Array) =>
  outcomeOf(async () => {
    const body = readJsonBody(bytes, MOST_VALUES)
    if ("error" in body) throw body.error
    return body.value
  })
export const stage = (bytes: Uint8Array) => outcomeOf(() => stageImport(bytes))
export const review = (args: Parameters<typeof reviewBundle>) => outcomeOf(() => reviewBundle(...args))
