import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** A voice recording. */
export interface Recording {
  readonly bytes: Uint8Array
  readonly fileName: string
  readonly mimeType: string
}

/** There is no transcript. `wasPaid`: it may still have cost something. Contains only our own words. */
export class TranscriptionFailed extends Schema.TaggedError<TranscriptionFailed>()("TranscriptionFailed", {
  code: Schema.String,
  wasPaid: Schema.Boolean
}) {}

/** Port: transcribes recordings. If no model for it is configured, `transcribe` is null. */
export class Transcriber extends Context.Service<
  Transcriber,
  {
    /** Null: none is configured. */
    readonly model: string | null
    readonly transcribe: ((recording: Recording) => Effect.Effect<string, TranscriptionFailed>) | null
    /** The cost of a recording of this length, in micro-USD. */
    readonly costMicroUsd: (seconds: number) => number
  }
>()("channels/Transcriber") {
  static readonly none = Layer.succeed(Transcriber, { model: null, transcribe: null, costMicroUsd: () => 0 })
}
