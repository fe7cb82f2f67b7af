import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class PhotosUnavailable extends Schema.TaggedError<PhotosUnavailable>()("PhotosUnavailable", {
  cause: Schema.Defect()
}) {}

/**
 * Port: the pictures that logs tell of. They are uploaded: the address in a log may be one that only this machine can
 * reach.
 */
export class Photos extends Context.Service<
  Photos,
  {
    /** Null: it was deleted. */
    readonly read: (appId: string, imageId: string) => Effect.Effect<Uint8Array | null, PhotosUnavailable>
  }
>()("channels/telegram/Photos") {}
