import * as Layer from "effect/Layer"
import type { Writer } from "#pipeline/generation/Writer.ts"
export const layer = (_: unknown): Layer.Layer<Writer> => Layer.empty as never
