import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

export interface SentenceFound {
  readonly sentence: string
  /** 0 to 1: the share of the question's words that it contains. */
  readonly share: number
}

/** A sentence is relevant from this share of the question's words on. */
const MIN_SHARE = 0.4

const SENTENCE_END = /(?<=[.!?…]["'”’)]{0,3})\s+|\n+|(?<=[。！？])/u
const HAS_WORDS = /[\p{L}\p{N}]/u
/** Prose of 32,000 characters has fewer sentences, even in Chinese. The rest of a text with more is not read. */
const MAX_SENTENCES = 4_000

const sentencesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim())
    .filter((sentence) => HAS_WORDS.test(sentence))
    .slice(0, MAX_SENTENCES)

/** A word without its endings, approximately: a fixed rule for any language cannot do more. */
const rootOf = (word: string): string => (word.length > 5 ? word.slice(0, Math.max(5, word.length - 3)) : word)
const rootsOf = (text: string): ReadonlySet<string> => new Set(contentOf(terms(text)).map(rootOf))

/** The sentences of a text that share words with a question, best first. Ties keep the order of the text. */
export const sentencesAbout = (text: string, question: string): ReadonlyArray<SentenceFound> => {
  const asked = rootsOf(question)
  if (asked.size === 0) return []
  return sentencesOf(text)
    .map((sentence) => {
      const words = rootsOf(sentence)
      return { sentence, share: [...asked].filter((word) => words.has(word)).length / asked.size }
    })
    .filter(({ share }) => share >= MIN_SHARE)
    .toSorted((a, b) => b.share - a.share)
}
