import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** A recording of somebody's voice. */
export interface Recording {
  readonly bytes: Uint8Array
  readonly fileName: string
  readonly mimeType: string
}

/** Nobody knows what was said. `wasPaid`: it may have cost something all the same. Holds words of ours only. */
export class NotHeard extends Schema.TaggedError<NotHeard>()("NotHeard", {
  code: Schema.String,
  wasPaid: Schema.Boolean
}) {}

/**
 * Port: what is said in a recording. Where no model for it is set up, `listen` is null, and recordings stay what they
 * are.
 */
export class Transcriber extends Context.Service<
  Transcriber,
  {
    readonly listen: ((recording: Recording) => Effect.Effect<string, NotHeard>) | null
    /** Of so long a recording, in millionths of a dollar. */
    readonly costMicroUsd: (seconds: number) => number
  }
>()("channels/Transcriber") {
  static readonly none = Layer.succeed(Transcriber, { listen: null, costMicroUsd: () => 0 })
}
