import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Turn, Usage } from "../domain/Turn.ts"
import type { Grounding } from "../grounding/ground.ts"
import type { Knowledge } from "../knowledge/know.ts"
import type { ModelError } from "../ModelError.ts"
import type { RelationshipInWords } from "../relational/inWords.ts"
import type { Retrieved } from "../retrieval/Retrieved.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { SafetyVerdict } from "../safety/judge.ts"

/** Everything a writer may draw on for one reply. */
export interface WriteRequest {
  readonly turn: Turn
  readonly history: ReadonlyArray<Utterance>
  readonly retrieved: Retrieved
  readonly grounding: Grounding
  readonly safety: SafetyVerdict
  readonly knowledge: Knowledge
  readonly relationship: RelationshipInWords
  /** What the character may decide in this turn; anything else is taken for a reply. */
  readonly decisions: ReadonlyArray<Decision>
  /** The gate that refused the draft before this one, so that the next differs. */
  readonly refusedBy: string | null
  /**
   * Told before each further call what this write has cost so far, so that it is booked before more is paid. The last
   * call is told by how the write ends.
   */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
}

export const Decision = Schema.Literals(["reply", "withhold", "exit"])
export type Decision = typeof Decision.Type

/** The structured answer asked of every engine. */
export const Reply = Schema.Struct({
  decision: Decision,
  exit_reason: Schema.NullOr(Schema.Literals(["boundary_violation", "repeated_abuse", "story_exit", "user_requested"])),
  bubbles: Schema.Array(Schema.String),
  /** The memories that the reply leans on, by `memoryId`: of `history` and of what was recalled. */
  cited_memory_ids: Schema.Array(Schema.String),
  /** The picture that is to go with it, if one is. A kind that nobody knows is no reason to lose a reply. */
  image_request: Schema.optionalKey(Schema.Struct({ kind: Schema.String, description: Schema.String }))
})
export type Reply = typeof Reply.Type

export interface Draft {
  readonly reply: Reply
  readonly usage: Usage
}

/** Port: writes the reply. Layers: a model behind an OpenAI-compatible address, and the labelled offline engine. */
export class Writer extends Context.Service<
  Writer,
  {
    /** Name of the engine, shown to clients: `openai-compatible` or `offline-retrieval.v1`. */
    readonly engine: string
    readonly model: string
    readonly write: (request: WriteRequest) => Effect.Effect<Draft, ModelError>
  }
>()("pipeline/generation/Writer") {}
