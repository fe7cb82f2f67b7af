import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Turn, Usage } from "../domain/Turn.ts"
import type { Grounding } from "../grounding/ground.ts"
import type { Knowledge } from "../knowledge/knowledgeOf.ts"
import type { ModelError } from "../ModelError.ts"
import type { RelationshipDescription } from "../relational/describeRelationship.ts"
import type { Retrieved } from "../retrieval/Retrieved.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import type { SafetyVerdict } from "../safety/judge.ts"

/** Everything a writer may use for one reply. */
export interface WriteRequest {
  readonly turn: Turn
  readonly history: ReadonlyArray<Utterance>
  readonly retrieved: Retrieved
  readonly grounding: Grounding
  readonly safety: SafetyVerdict
  readonly knowledge: Knowledge
  readonly relationship: RelationshipDescription
  /** What the character may decide in this turn. Any other decision is treated as a reply. */
  readonly decisions: ReadonlyArray<Decision>
  /** The gate that refused the previous draft, so that the next one can differ. */
  readonly refusedBy: string | null
  /** The previous draft, and the sentences of it that were refused. */
  readonly refusedDraft?: { readonly bubbles: ReadonlyArray<string>; readonly wrong: ReadonlyArray<string> }
  /**
   * Called before each further model call with the cost so far, so that the cost is persisted before more is spent. The
   * result of the write reports the last call.
   */
  readonly onSpent: (usage: Usage) => Effect.Effect<void>
  /** Called with what the trace should say besides, in our own words: such as that the history was shortened. */
  readonly onNote?: (note: string) => void
}

export const Decision = Schema.Literals(["reply", "withhold", "exit"])
export type Decision = typeof Decision.Type

/** The structured answer that every engine returns. */
export const Reply = Schema.Struct({
  decision: Decision,
  exit_reason: Schema.NullOr(Schema.Literals(["boundary_violation", "repeated_abuse", "story_exit", "user_requested"])),
  bubbles: Schema.Array(Schema.String),
  /** The memories that the reply relies on, by `memoryId`: from `history` and from recall. Code finds a model's. */
  cited_memory_ids: Schema.Array(Schema.String),
  /** The picture to send with the reply, if any. An unknown kind must not fail the reply. */
  image_request: Schema.optionalKey(Schema.Struct({ kind: Schema.String, description: Schema.String }))
})
export type Reply = typeof Reply.Type

export interface Draft {
  readonly reply: Reply
  readonly usage: Usage
}

/** Port: writes the reply. Layers: a model behind an OpenAI-compatible API, and the labelled offline engine. */
export class Writer extends Context.Service<
  Writer,
  {
    /** Name of the engine, shown to clients: `openai-compatible` or `offline-retrieval.v1`. */
    readonly engine: string
    readonly model: string
    /**
     * The maximum cost of a draft, in micro-USD, if the analysis of its message is still to come. Missing: drafts are
     * free.
     */
    readonly mostMicroUsd?: (request: WriteRequest) => number
    readonly write: (request: WriteRequest) => Effect.Effect<Draft, ModelError>
  }
>()("pipeline/generation/Writer") {}
