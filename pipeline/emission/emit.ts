import type { Voice } from "../domain/Character.ts"
import { splitBubbles } from "./bubbles.ts"
import { type GateContext, type GateName, refusal } from "./gates.ts"

export type Emission =
  | { readonly refusedBy: GateName; readonly bubbles: null }
  | { readonly refusedBy: null; readonly bubbles: ReadonlyArray<string> }

// Neither a lone surrogate nor NUL can be stored or sent; other control characters only do harm.
const CONTROL = /[^\P{Cc}\t\n\r]/gu
const clean = (text: string): string => text.toWellFormed().replace(CONTROL, "")

/** Holds a draft against the gates and cuts what passes into bubbles. */
export const emit = (draft: ReadonlyArray<string>, voice: Voice, context: GateContext): Emission => {
  const cleaned = draft.map(clean)
  const refusedBy = refusal(cleaned.join("\n"), context)
  return refusedBy === null ? { refusedBy, bubbles: splitBubbles(cleaned, voice) } : { refusedBy, bubbles: null }
}
