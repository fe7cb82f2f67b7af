import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn, Usage } from "../domain/Turn.ts"
import type { Remembered } from "./MemoryStore.ts"
import type { Recalled } from "./Retrieved.ts"

export interface SimilarRequest {
  readonly turn: Turn
  readonly text: string
  /** Only utterances before this cursor. */
  readonly before: number
  /** How many utterances at most. */
  readonly limit: number
  /** How many memories at most. */
  readonly memories: number
}

export interface SimilarFound {
  /** Best first, and only what is clearly closer to the text than the rest of the session. */
  readonly found: ReadonlyArray<Recalled>
  /** The same of memories. */
  readonly memories: ReadonlyArray<Remembered>
  readonly usage: Usage | null
}

export const NOTHING_SIMILAR: SimilarFound = { found: [], memories: [], usage: null }

interface SimilarShape {
  /** The maximum cost of a search for this text. */
  readonly mostMicroUsd: (text: string) => number
  /** A failure is an empty answer. Costs nothing in a session without embeddings. */
  readonly search: (request: SimilarRequest) => Effect.Effect<SimilarFound>
}

/**
 * Port: finds what was said and noted in a session with a similar meaning, in any words. Null: there is no model for
 * it.
 */
export const Similar = Context.Reference<SimilarShape | null>("pipeline/retrieval/Similar", {
  defaultValue: () => null
})
export type Similar = SimilarShape
