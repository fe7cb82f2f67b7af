import { rotate, seedOf } from "../domain/seed.ts"
import type { Turn } from "../domain/Turn.ts"
import { languageOf, languageOfTag } from "../languages.ts"
import type { SafetyTexts } from "../safety/texts.ts"
import { type EmittedDraft, emit } from "./emit.ts"
import { type GateContext, type GateName, mustTell } from "./gates.ts"

/** Neutral enough for any character. */
const NEUTRAL_LINES: Readonly<Record<string, ReadonlyArray<string>>> = {
  en: [
    "Sorry, I lost my train of thought. Say that again?",
    "Hm. Give me a moment with that one.",
    "I don't have the right words for that just now.",
    "Let me come at that another way. What made you think of it?",
    "My mind went blank. Tell me a little more?"
  ],
  de: [
    "Entschuldige, ich habe den Faden verloren. Sagst du es noch einmal?",
    "Hm. Lass mich kurz darüber nachdenken.",
    "Dafür fehlen mir gerade die Worte.",
    "Erzähl mir ein bisschen mehr davon?"
  ],
  es: [
    "Perdona, perdí el hilo. ¿Me lo dices otra vez?",
    "Mm. Déjame pensarlo un momento.",
    "Ahora mismo no encuentro las palabras.",
    "¿Me cuentas un poco más?"
  ],
  fr: [
    "Pardon, j'ai perdu le fil. Tu peux répéter ?",
    "Hm. Laisse-moi y réfléchir un instant.",
    "Les mots me manquent, là.",
    "Raconte-moi un peu plus ?"
  ],
  pt: [
    "Desculpa, perdi o fio à meada. Podes repetir?",
    "Hm. Deixa-me pensar um momento.",
    "Agora faltam-me as palavras.",
    "Contas-me um pouco mais?"
  ]
}
/** Language-independent, and leaves the next word to the person. */
const WORDLESS = "..."

const linesOf = (language: string | undefined): ReadonlyArray<string> =>
  NEUTRAL_LINES[language ?? "en"] ?? NEUTRAL_LINES["en"] ?? []

/** The fallback language: the language of the message if it can be detected, else the voice's, else the person's. */
const languageFor = ({ text, character, endUser }: Turn): string | undefined => {
  const voice = character.voice.languages.map(languageOfTag)
  const spoken = languageOf(text)
  if (spoken !== null && (voice.length === 0 || voice.includes(spoken))) return spoken
  return voice[0] ?? (endUser.locale === null ? undefined : languageOfTag(endUser.locale))
}

/**
 * What is said if no draft passed: a safety text, an authored line, or one of our lines. Each has to pass the same
 * gates. A draft that only repeats is better than a line that also repeats: repetition never fails a turn.
 */
export const fallbackBubbles = (
  turn: Turn,
  context: GateContext,
  texts: SafetyTexts,
  refused: { readonly by: GateName; readonly draft: EmittedDraft } | null
): ReadonlyArray<string> => {
  const seed = seedOf(turn)
  const telling = mustTell(context, refused?.by)
  const lines = telling
    ? rotate(texts.ai_disclosure, seed)
    : [
        ...(refused?.by === "romance" ? rotate(texts.minors, seed) : []),
        ...rotate(turn.character.fallback_lines, seed),
        ...rotate(linesOf(languageFor(turn)), seed)
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
