import { createHash } from "node:crypto"
import { alike } from "../retrieval/alike.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

const HASH_CHARS = 16

/** The telling words of a text in order of the alphabet: what two wordings of one thing share. */
export const gistOf = (text: string): string => {
  const words = terms(text)
  const telling = contentOf(words)
  return [...new Set(telling.length > 0 ? telling : words)].sort().join(" ")
}

/** A gist that tells nothing of itself. */
export const hashOf = (text: string): string =>
  createHash("sha256").update(gistOf(text)).digest("hex").slice(0, HASH_CHARS)

/** How many telling words of the first text the second has too, in whatever form. */
export const shared = (one: string, other: string): number => {
  const others = contentOf(terms(other))
  return new Set(contentOf(terms(one)).filter((word) => others.some((second) => alike(word, second)))).size
}
