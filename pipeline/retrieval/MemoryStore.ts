import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { type Bearing, NEW_BEARING, type OpenLoop } from "../relational/Relationship.ts"
import type { QueryTerm } from "./recallQuery.ts"

/**
 * Something that the character has noted of the person, found because it bears on the message or because it is pinned.
 */
export interface Remembered {
  readonly id: string
  readonly kind: string
  readonly text: string
  /** When it was learned. */
  readonly at: Date
  /** Where it was said; null for what the app has told. */
  readonly cursor: number | null
  readonly score: number
}

/** What is known of a person as a turn begins. */
export interface Known {
  /** The best first. */
  readonly memories: ReadonlyArray<Remembered>
  /** Those that wait, the most pressing first. */
  readonly loops: ReadonlyArray<OpenLoop>
  readonly bearing: Bearing
  /** Places on the log of which the person wants nothing recalled. */
  readonly forgotten: ReadonlySet<number>
  readonly failed: boolean
}

export const NOTHING_KNOWN: Known = {
  memories: [],
  loops: [],
  bearing: NEW_BEARING,
  forgotten: new Set(),
  failed: false
}

export interface LookUp {
  readonly turn: Turn
  /** None: only what is pinned. */
  readonly terms: ReadonlyArray<QueryTerm>
  readonly memories: number
  readonly loops: number
}

/**
 * Port: what a character has noted of a person, and how it stands with them. A failure is an empty answer: a reply must
 * not hang on its memories.
 */
export class MemoryStore extends Context.Service<
  MemoryStore,
  {
    readonly look: (request: LookUp) => Effect.Effect<Known>
  }
>()("pipeline/retrieval/MemoryStore") {}
