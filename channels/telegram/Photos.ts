import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class PhotosUnavailable extends Schema.TaggedError<PhotosUnavailable>()("PhotosUnavailable", {
  cause: Schema.Defect()
}) {}

/**
 * Port: the pictures that logs refer to. They are uploaded, because the URL in a log may only be reachable from this
 * machine.
 */
export class Photos extends Context.Service<
  Photos,
  {
    /** Null: it was deleted. */
    readonly read: (appId: string, imageId: string) => Effect.Effect<Uint8Array | null, PhotosUnavailable>
  }
>()("channels/telegram/Photos") {}
