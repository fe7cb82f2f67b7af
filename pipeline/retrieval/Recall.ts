import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import type { QueryTerm } from "./recallQuery.ts"
import type { Recalled } from "./Retrieved.ts"

export interface RecallRequest {
  readonly turn: Turn
  readonly terms: ReadonlyArray<QueryTerm>
  /** Only what was said before this cursor: the rest is in the turn's history. */
  readonly before: number
  /** Up to here what was said may be taken into the index, should it lack something. */
  readonly indexTo: number
  readonly limit: number
}

/**
 * Port: finds what was said in a session a long time ago, by BM25 with every utterance read together with its
 * neighbours. Everything before `before` is searched. A failure is an empty answer: a reply must not hang on its
 * memories.
 */
export class Recall extends Context.Service<
  Recall,
  {
    /** The best first, of one session, with the best at a score of 1. */
    readonly search: (
      request: RecallRequest
    ) => Effect.Effect<{ readonly found: ReadonlyArray<Recalled>; readonly failed: boolean }>
  }
>()("pipeline/retrieval/Recall") {}
