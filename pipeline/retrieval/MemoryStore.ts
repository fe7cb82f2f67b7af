import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { type About, type Bearing, NEW_BEARING, type OpenLoop } from "../relational/Relationship.ts"
import type { ForgottenSaid } from "./maskForgotten.ts"
import type { QueryTerm } from "./recallQuery.ts"

/** A memory about the person, found because it is relevant to the message or because it is pinned. */
export interface Remembered {
  readonly id: string
  readonly kind: string
  readonly text: string
  /** Whom it is about, if that is somebody else. */
  readonly about: About | null
  /** When it was learned. */
  readonly at: Date
  /** Where it was said. Null for a memory that the app added. */
  readonly cursor: number | null
  readonly score: number
}

/** What is known about a person when a turn begins. */
export interface Known {
  /** The best first. */
  readonly memories: ReadonlyArray<Remembered>
  /** The waiting loops, most urgent first. */
  readonly loops: ReadonlyArray<OpenLoop>
  readonly bearing: Bearing
  /** The messages that told what is forgotten by now. */
  readonly forgotten: ReadonlyArray<ForgottenSaid>
  readonly failed: boolean
}

export const NOTHING_KNOWN: Known = {
  memories: [],
  loops: [],
  bearing: NEW_BEARING,
  forgotten: [],
  failed: false
}

export interface LookUp {
  readonly turn: Turn
  /** Empty: only pinned memories. */
  readonly terms: ReadonlyArray<QueryTerm>
  readonly memories: number
  readonly loops: number
}

/**
 * Port: what a character remembers about a person, and their relationship. A failure is an empty answer: a reply must
 * not depend on its memories.
 */
export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    readonly look: (request: LookUp) => Effect.Effect<Known>
  }
>()("pipeline/retrieval/MemoryStore") {}
