import { createHash } from "node:crypto"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { WordForms } from "../retrieval/WordForms.ts"

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

/** Counts the content words of a text that also occur in this one, in any form. */
export const sharedWith = (one: string): ((other: string) => number) => {
  const forms = new WordForms(contentOf(terms(one)))
  return (other) => new Set(contentOf(terms(other)).filter((word) => forms.has(word))).size
}
