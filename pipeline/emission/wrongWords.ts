import { terms } from "../retrieval/terms.ts"
import type { EmittedDraft } from "./emit.ts"
import { type GateContext, type GateName, refusalsAmong } from "./gates.ts"
import { wordGrams } from "./phrases.ts"
import { overlap } from "./repetition.ts"

const MAX_SENTENCES = 40
const MAX_QUOTED = 3
const MAX_CHARS = 200
/** These refuse the draft as a whole: for what it does not say, or for its language. */
const WHOLE: ReadonlySet<GateName> = new Set(["empty", "length", "denies_ai", "evades_ai", "language"])
const REMEMBERED = 10
const GRAM_WORDS = 4
const SAME = 0.5

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(/(?<=[.!?…。！？])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")
    .slice(0, MAX_SENTENCES)

const gramsOf = (sentence: string): ReadonlySet<string> => new Set(wordGrams(terms(sentence), GRAM_WORDS))

/** The sentences that the character has said lately in nearly the same words. */
const repeated = (sentences: ReadonlyArray<string>, { characterTexts }: GateContext): ReadonlyArray<string> => {
  const before = characterTexts.slice(-REMEMBERED).flatMap(sentencesOf).map(gramsOf)
  return sentences.filter((sentence) => {
    const grams = gramsOf(sentence)
    return before.some((earlier) => overlap(grams, earlier) >= SAME)
  })
}

/**
 * The sentences of a refused draft that the gate refuses, so that the next draft can leave them out. Empty if it
 * refuses the draft as a whole.
 */
export const wrongWords = (
  { bubbles, citedIds }: EmittedDraft,
  by: GateName,
  context: GateContext
): ReadonlyArray<string> => {
  if (WHOLE.has(by)) return []
  const sentences = sentencesOf(bubbles.join("\n"))
  const wrong =
    by === "repetition"
      ? repeated(sentences, context)
      : sentences.filter((text) => refusalsAmong(new Set([by]), { text, citedIds }, context).length > 0)
  return [...new Set(wrong)].slice(0, MAX_QUOTED).map((sentence) => sentence.slice(0, MAX_CHARS).toWellFormed())
}
