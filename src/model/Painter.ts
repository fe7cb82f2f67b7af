import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export const IMAGE_SIZES = ["square", "portrait", "landscape"] as const
export type ImageSize = (typeof IMAGE_SIZES)[number]

export interface PaintRequest {
  readonly prompt: string
  readonly size: ImageSize
  /** Whose picture it is: all that a placeholder shows. */
  readonly name: string
  /** The same picture for the same seed, where the engine can. */
  readonly seed: string
}

/** There is no picture. `refused`: the provider will not make this one. Holds words of ours only. */
export class NotPainted extends Schema.TaggedError<NotPainted>()("NotPainted", { reason: Schema.Literals(["refused", "failed"]), code: Schema.String }) {}

/** Port: makes pictures. Layers: a model behind an OpenAI-compatible address, and labelled placeholders. */
export class Painter extends Context.Service<Painter, {
  readonly engine: "openai-compatible" | "offline-placeholder.v1"
  readonly model: string
  /** In millionths of a dollar. */
  readonly priceMicroUsd: (size: ImageSize) => number
  /** A file as the provider made it, not to be trusted more than any other. */
  readonly paint: (request: PaintRequest) => Effect.Effect<Uint8Array, NotPainted>
}>()("src/model/Painter") {}

export const isPlaceholder = ({ engine }: Pick<Painter["Service"], "engine">): boolean => engine === "offline-placeholder.v1"
