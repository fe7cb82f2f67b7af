import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import type { QueryTerm } from "./recallQuery.ts"
import type { Recalled } from "./Retrieved.ts"

export interface RecallRequest {
  readonly turn: Turn
  readonly terms: ReadonlyArray<QueryTerm>
  /** Only utterances before this cursor. The later ones are in the turn's history. */
  readonly before: number
  /** The index may be updated up to this cursor if it is behind. */
  readonly indexTo: number
  /** In how many steps, 1 by default. A session that was imported may be far behind. */
  readonly steps?: number
  readonly limit: number
}

/**
 * Port: finds what was said in a session long ago. Uses BM25, with every utterance indexed together with its
 * neighbours. Searches everything before `before`. A failure is an empty answer: a reply must not depend on its
 * memories.
 */
export class Recall extends Context.Service<
  Recall,
  {
    /** Best first, from one session. The best has a score of 1. */
    readonly search: (
      request: RecallRequest
    ) => Effect.Effect<{ readonly found: ReadonlyArray<Recalled>; readonly failed: boolean }>
  }
>()("pipeline/retrieval/Recall") {}
