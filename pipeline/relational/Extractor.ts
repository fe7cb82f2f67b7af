import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Character } from "../domain/Character.ts"
import type { EndUser, Usage } from "../domain/Turn.ts"
import type { ModelError } from "../ModelError.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { Extraction } from "./Extraction.ts"
import type { Relationship } from "./Relationship.ts"

/** A finished turn, as input for memory extraction. */
export interface EndedTurn {
  readonly sessionId: string
  readonly turnIndex: number
  readonly character: Character
  readonly endUser: EndUser
  readonly outcome: "replied" | "withheld" | "exited" | "failed"
  /** What was said before it, oldest first. */
  readonly history: ReadonlyArray<Utterance>
  /** What the person said. Null if the character wrote first. */
  readonly message: Utterance | null
  readonly reply: Utterance | null
  /** When its last message was sent. */
  readonly at: Date
}

export interface ExtractRequest {
  readonly turn: EndedTurn
  readonly known: Relationship
}

interface ExtractorShape {
  readonly extract: (
    request: ExtractRequest
  ) => Effect.Effect<{ readonly extraction: Extraction; readonly usage: Usage }, ModelError>
}

/**
 * Port: extracts memories from a turn after it was answered. An engine without a model has none, and only rules read
 * it.
 */
export const Extractor = Context.Reference<ExtractorShape | null>("pipeline/relational/Extractor", {
  defaultValue: () => null
})
export type Extractor = ExtractorShape
