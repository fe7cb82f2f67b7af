import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

export interface SentenceFound {
  readonly sentence: string
  /** 0 to 1: how many of the question's words it has. */
  readonly share: number
}

/** As much of a question's words as makes a sentence one about it. */
const LEAST_SHARE = 0.4

const SENTENCE_END = /(?<=[.!?…]["'”’)]{0,3})\s+|\n+|(?<=[。！？])/u

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== "")

/** What a word is known by beside its endings: about as much as a rule can do in any language. */
const rootOf = (word: string): string => (word.length > 5 ? word.slice(0, Math.max(5, word.length - 3)) : word)
const rootsOf = (text: string): ReadonlySet<string> => new Set(contentOf(terms(text)).map(rootOf))

/** The sentences of a text that share words with a question, the best first, and of equal ones the first. */
export const sentencesAbout = (text: string, question: string): ReadonlyArray<SentenceFound> => {
  const asked = rootsOf(question)
  if (asked.size === 0) return []
  return sentencesOf(text)
    .map((sentence) => {
      const words = rootsOf(sentence)
      return { sentence, share: [...asked].filter((word) => words.has(word)).length / asked.size }
    })
    .filter(({ share }) => share >= LEAST_SHARE)
    .toSorted((a, b) => b.share - a.share)
}
