import { createHash } from "node:crypto"
import { wordsMatch } from "../retrieval/wordsMatch.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

const HASH_CHARS = 16

/** The content words of a text in alphabetical order, to match different wordings of the same thing. */
export const gistOf = (text: string): string => {
  const words = terms(text)
  const telling = contentOf(words)
  return [...new Set(telling.length > 0 ? telling : words)].sort().join(" ")
}

/** A hash of the gist, which does not reveal the text. */
export const hashOf = (text: string): string =>
  createHash("sha256").update(gistOf(text)).digest("hex").slice(0, HASH_CHARS)

/** How many content words of the first text also occur in the second, in any form. */
export const shared = (one: string, other: string): number => {
  const others = contentOf(terms(other))
  return new Set(contentOf(terms(one)).filter((word) => others.some((second) => wordsMatch(word, second)))).size
}
