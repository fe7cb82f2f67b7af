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

/** Reference pictures that one request may carry. */
export const MOST_REFERENCES_SENT = 4

export interface PaintRequest {
  readonly prompt: string
  readonly size: ImageSize
  /** Whose picture it is: all that a placeholder shows. */
  readonly name: string
  /** What a placeholder is drawn by: the same picture for the same text. */
  readonly seed: string
  /** The character's own seed, for models that take one; null: none is set. */
  readonly modelSeed: number | null
  /** At most `MOST_REFERENCES_SENT`; used by models that take pictures. */
  readonly references: ReadonlyArray<ReferencePicture>
}

/** There is no picture. `refused`: the provider will not make this one. Holds words of ours only. */
export class NotPainted extends Schema.TaggedError<NotPainted>()("NotPainted", {
  reason: Schema.Literals(["refused", "failed"]),
  code: Schema.String
}) {}

/** Port: makes pictures. Layers: a model behind an OpenAI-compatible address, and labelled placeholders. */
export class Painter extends Context.Service<
  Painter,
  {
    readonly engine: "openai-compatible" | "offline-placeholder.v1"
    readonly model: string
    /** Whether it looks at reference pictures. */
    readonly takesReferences: boolean
    /** In millionths of a dollar, with so many reference pictures. */
    readonly priceMicroUsd: (size: ImageSize, references?: number) => number
    /** A file as the provider made it, not to be trusted more than any other. */
    readonly paint: (request: PaintRequest) => Effect.Effect<Uint8Array, NotPainted>
  }
>()("src/model/Painter") {}

export const isPlaceholder = ({ engine }: Pick<Painter["Service"], "engine">): boolean =>
  engine === "offline-placeholder.v1"
