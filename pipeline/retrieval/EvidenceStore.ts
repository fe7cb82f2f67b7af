import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { QueryTerm } from "./recallQuery.ts"
import type { Turn } from "../domain/Turn.ts"

/** A piece of what is known of the character from elsewhere. */
export interface EvidencePiece {
  /** Of the evidence that it is of. */
  readonly id: string
  readonly text: string
  readonly title: string | null
}

interface EvidenceStoreShape {
  /** The best first, and only what carries a good part of the search. */
  readonly look: (request: {
    readonly turn: Turn
    readonly terms: ReadonlyArray<QueryTerm>
    readonly limit: number
  }) => Effect.Effect<{ readonly found: ReadonlyArray<EvidencePiece>; readonly failed: boolean }>
}

/**
 * Port: finds what sources say that bears on the message. A failure is an empty answer. Without it there are no
 * sources.
 */
export const EvidenceStore = Context.Reference<EvidenceStoreShape>("pipeline/retrieval/EvidenceStore", {
  defaultValue: () => ({ look: () => Effect.succeed({ found: [], failed: false }) })
})
export type EvidenceStore = EvidenceStoreShape
