import { ImportRefused } from "#src/imports/ImportRefused.ts"
import { importRefused } from "#src/http/imports/importErrors.ts"
import { ApiError } from "#src/http/server/ApiError.ts"
import { readJsonBody } from "./readJsonBody.ts"
import { reviewBundle } from "#src/http/imports/reviewBundle.ts"
import { stageImport } from "#src/http/imports/stageImport.ts"

/** What a thread gives back: an error by its fields, since no class comes through to another thread. */
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

/** Values of a body other than an import's: what has more is refused before the server's own thread sees it. */
const MOST_VALUES = 50_000

// The functions that src/http/server/body/ParseWorkers.ts calls by name, on a thread of its own.

export const json = (bytes: Uint8Array) =>
  outcomeOf(async () => {
    const body = readJsonBody(bytes, MOST_VALUES)
    if ("error" in body) throw body.error
    return body.value
  })
export const stage = (bytes: Uint8Array) => outcomeOf(() => stageImport(bytes))
export const review = (args: Parameters<typeof reviewBundle>) => outcomeOf(() => reviewBundle(...args))
