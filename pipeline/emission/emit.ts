import { fillWords } from "../domain/macros.ts"
import { splitBubbles } from "./bubbles.ts"
import { type GateContext, type GateName, refusal } from "./gates.ts"
import { cleanBubble } from "./cleanBubble.ts"
import { unwrapped, withoutThoughts } from "./wrapping.ts"

export type Emission =
  | { readonly refusedBy: GateName; readonly bubbles: null }
  | { readonly refusedBy: null; readonly bubbles: ReadonlyArray<string> }

export interface EmittedDraft {
  readonly bubbles: ReadonlyArray<string>
  readonly citedIds: ReadonlyArray<string>
}

// Lone surrogates and NUL cannot be stored or sent. Other control characters serve no purpose.
const CONTROL = /[^\P{Cc}\t\n\r]/gu
const clean = (text: string): string => text.toWellFormed().replace(CONTROL, "")

/** Mends a draft, checks it against the gates, and cuts it into bubbles if it passes. */
export const emit = ({ bubbles, citedIds }: EmittedDraft, context: GateContext): Emission => {
  const { voice, display_name } = context.character
  const names = { character: display_name, user: context.endUser.displayName }
  const cleaned = bubbles.map((bubble) =>
    cleanBubble(fillWords(unwrapped(withoutThoughts(clean(bubble))), names), voice, display_name)
  )
  const refusedBy = refusal({ text: cleaned.join("\n"), citedIds }, context)
  return refusedBy === null ? { refusedBy, bubbles: splitBubbles(cleaned, voice) } : { refusedBy, bubbles: null }
}
