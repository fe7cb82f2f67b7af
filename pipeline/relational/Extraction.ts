import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { About, LoopKind, LoopOwner, MemoryKind, MemorySubject } from "./Relationship.ts"

/** What a model or rules extracted from one turn. It is unverified input: see decide.ts. */
export const Extraction = Schema.Struct({
  signals: Schema.Array(
    Schema.Struct({
      dimension: Schema.String,
      direction: Schema.Literals(["up", "down"]),
      strength: Schema.Literals([1, 2, 3]),
      quote: Schema.String
    })
  ),
  character_emotion: Schema.NullOr(
    Schema.Struct({ label: Schema.String, valence: Schema.Number, arousal: Schema.Number })
  ),
  memories: Schema.Array(
    Schema.Struct({
      kind: MemoryKind,
      subject: MemorySubject,
      /** Whom it is about, if that is somebody else. */
      about: Schema.NullOr(About).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
      /** Who says the quoted words, if that is somebody else. */
      said_by: Schema.NullOr(Schema.String).pipe(Schema.withDecodingDefaultKey(Effect.succeed(null))),
      text: Schema.String,
      importance: Schema.Number,
      confidence: Schema.Number,
      quote: Schema.String,
      happened_on: Schema.NullOr(Schema.String),
      linked_ids: Schema.Array(Schema.String)
    })
  ),
  invalidate: Schema.Array(
    Schema.Struct({
      memory_id: Schema.String,
      reason: Schema.Literals(["contradicted", "expired", "user_corrected", "user_asked_to_forget"]),
      quote: Schema.String
    })
  ),
  loops_open: Schema.Array(
    Schema.Struct({
      kind: LoopKind,
      owner: LoopOwner,
      text: Schema.String,
      due_on: Schema.NullOr(Schema.String),
      quote: Schema.String
    })
  ),
  loops_resolved: Schema.Array(Schema.String),
  preferences: Schema.Array(
    Schema.Struct({
      field: Schema.Literals(["opted_out", "preferred_hours", "frequency", "topics_welcome", "topics_avoid"]),
      value: Schema.String,
      explicit: Schema.Boolean
    })
  ),
  summary: Schema.String
})
export type Extraction = typeof Extraction.Type

export const NOTHING_EXTRACTED: Extraction = {
  signals: [],
  character_emotion: null,
  memories: [],
  invalidate: [],
  loops_open: [],
  loops_resolved: [],
  preferences: [],
  summary: ""
}
