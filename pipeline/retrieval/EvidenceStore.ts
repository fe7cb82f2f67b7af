import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { QueryTerm } from "./recallQuery.ts"
import type { Turn } from "../domain/Turn.ts"

/** A piece of what external sources say about the character. */
export interface EvidencePiece {
  /** The id of the evidence that it belongs to. */
  readonly id: string
  readonly text: string
  readonly title: string | null
  /** Neither the author nor the app vouches for it. */
  readonly unverified?: true
}

interface EvidenceStoreShape {
  /** Best first, and only pieces that match a good part of the search. */
  readonly look: (request: {
    readonly turn: Turn
    readonly terms: ReadonlyArray<QueryTerm>
    readonly limit: number
  }) => Effect.Effect<{ readonly found: ReadonlyArray<EvidencePiece>; readonly failed: boolean }>
}

/** Port: finds what sources say about the message. A failure is an empty answer. Without it there are no sources. */
export const EvidenceStore = Context.Reference<EvidenceStoreShape>("pipeline/retrieval/EvidenceStore", {
  defaultValue: () => ({ look: () => Effect.succeed({ found: [], failed: false }) })
})
export type EvidenceStore = EvidenceStoreShape
