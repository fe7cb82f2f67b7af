import * as Context from "effect/Context"
import type { ServiceTexts } from "./ServiceTexts.ts"

/** By language tag in canonical form. */
export type TextsByTag = ReadonlyMap<string, Partial<ServiceTexts>>

/** The operator's own texts, which override the built-in ones. */
export class OwnTexts extends Context.Service<OwnTexts, TextsByTag>()("pipeline/texts/OwnTexts") {}
