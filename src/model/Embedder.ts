import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Usage } from "#pipeline/domain/Turn.ts"
import type { ModelError } from "#pipeline/ModelError.ts"

/** Maximum number of texts in one request. */
export const MAX_TEXTS = 64
/** Longer texts are cut, in UTF-16 units. */
export const MAX_TEXT_CHARS = 2_000

/** An embedding. Only its direction counts. */
export type Embedding = ReadonlyArray<number>

export interface EmbeddingRequest {
  /** At most `MAX_TEXTS`, none of them empty. */
  readonly texts: ReadonlyArray<string>
  /** `query`: a reply waits for it. */
  readonly urgency: "query" | "background"
}

interface EmbedderShape {
  readonly model: string
  /** The maximum cost of these texts. */
  readonly mostMicroUsd: (texts: ReadonlyArray<string>) => number
  /** One embedding for each text, all of the same length. Refused if the spending limit does not cover it. */
  readonly embed: (
    request: EmbeddingRequest
  ) => Effect.Effect<{ readonly embeddings: ReadonlyArray<Embedding>; readonly usage: Usage }, ModelError>
}

/** Port: turns texts into vectors, of which those with a similar meaning point in a similar direction. */
export const Embedder = Context.Reference<EmbedderShape | null>("src/model/Embedder", { defaultValue: () => null })
export type Embedder = EmbedderShape
