import { rotate, seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import { languageOf, tagsOf } from "../languages.ts"
import type { SafetyTexts } from "../safety/texts.ts"
import type { TextsByTag } from "../texts/OwnTexts.ts"
import { textsFor } from "../texts/textsFor.ts"
import { type EmittedDraft, emit } from "./emit.ts"
import { type GateContext, type GateName, mustTell } from "./gates.ts"

/** Language-independent, and leaves the next word to the person. */
const WORDLESS = "..."

/**
 * The tags of the fallback's language: the language of the message if it can be detected and the voice has it, else the
 * voice's, else the person's.
 */
const tagsFor = ({ text, character, endUser }: Turn): ReadonlyArray<string | null> => {
  const { languages } = character.voice
  const spoken = languageOf(text)
  if (spoken === null) return [...languages, endUser.locale]
  const alike = tagsOf(spoken, languages.length > 0 ? languages : [endUser.locale])
  return [...alike, ...languages, ...(alike.length > 0 ? [] : [spoken]), endUser.locale]
}

/**
 * What is said if no draft passed: a safety text, an authored line, or one of our lines. Each has to pass the same
 * gates. A draft that only repeats is better than a line that also repeats: repetition never fails a turn.
 */
export const fallbackBubbles = (
  turn: Turn,
  context: GateContext,
  texts: SafetyTexts,
  own: TextsByTag,
  refused: { readonly by: GateName; readonly draft: EmittedDraft } | null
): ReadonlyArray<string> => {
  const seed = seedOf(turn)
  const telling = mustTell(context, refused?.by)
  const { apology, fallback_lines } = textsFor(tagsFor(turn), own)
  const lines = telling
    ? rotate(texts.ai_disclosure, seed)
    : [
        ...(refused?.by === "romance" ? rotate(texts.minors, seed) : []),
        ...rotate(turn.character.fallback_lines, seed),
        ...rotate([apology, ...fallback_lines], seed)
      ]
  const emitted = (draft: EmittedDraft, given: GateContext = context) => emit(draft, given).bubbles
  const drafts = lines.map((line): EmittedDraft => ({ bubbles: [line], citedIds: [] }))
  for (const draft of drafts) {
    const bubbles = emitted(draft)
    if (bubbles !== null) return bubbles
  }
  const forgetful = { ...context, characterTexts: [] }
  for (const draft of [...(refused?.by === "repetition" ? [refused.draft] : []), ...drafts]) {
    const bubbles = emitted(draft, forgetful)
    if (bubbles !== null) return bubbles
  }
  // The operator's disclosure is sent as written, even if a gate refuses it.
  return telling ? lines.slice(0, 1) : [WORDLESS]
}
