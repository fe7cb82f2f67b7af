import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const IMAGE_SIZES = ["square", "portrait", "landscape"] as const
export type ImageSize = (typeof IMAGE_SIZES)[number]

/** A picture of the character that the new one should resemble. */
export interface ReferencePicture {
  readonly bytes: Uint8Array
  readonly mediaType: string
}

/** Maximum number of reference pictures in one request. */
export const MAX_REFERENCES_SENT = 4

export interface ImageRequest {
  readonly prompt: string
  readonly size: ImageSize
  /** The name of the character. A placeholder shows nothing else. */
  readonly name: string
  /** Seeds the placeholder: the same text gives the same picture. */
  readonly seed: string
  /** The character's own seed, for models that take one. Null: none is set. */
  readonly modelSeed: number | null
  /** At most `MAX_REFERENCES_SENT`. Used by models that accept pictures. */
  readonly references: ReadonlyArray<ReferencePicture>
}

/** No picture was made. `refused`: the provider refuses to make this one. Contains only our own words. */
export class ImageFailed extends Schema.TaggedError<ImageFailed>()("ImageFailed", {
  reason: Schema.Literals(["refused", "failed"]),
  code: Schema.String
}) {}

/** Port: generates pictures. Layers: a model behind an OpenAI-compatible API, and labelled placeholders. */
export class ImageModel extends Context.Service<
  ImageModel,
  {
    readonly engine: "openai-compatible" | "offline-placeholder.v1"
    readonly model: string
    /** Whether it uses reference pictures. */
    readonly takesReferences: boolean
    /** In micro-USD, with this many reference pictures. */
    readonly priceMicroUsd: (size: ImageSize, references?: number) => number
    /** The file as the provider returned it, which is as untrusted as any other. */
    readonly generate: (request: ImageRequest) => Effect.Effect<Uint8Array, ImageFailed>
  }
>()("src/model/ImageModel") {}

export const isPlaceholder = ({ engine }: Pick<ImageModel["Service"], "engine">): boolean =>
  engine === "offline-placeholder.v1"
