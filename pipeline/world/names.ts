import { memoize } from "../memoize.ts"
import { Phrases } from "../retrieval/Phrases.ts"
import { spaced, spacedPhrase } from "../retrieval/terms.ts"

const MAX_NAMES = 10_000
const nameOf = memoize(MAX_NAMES, spacedPhrase)

/**
 * Returns a function that tells whether the text contains one of some names, as whole words, regardless of case and
 * accents.
 */
export const namesIn = (text: string): ((wanted: ReadonlyArray<string>) => boolean) => {
  const words = new Phrases(spaced(text))
  return (wanted) => wanted.some((name) => nameOf(name) !== "" && words.has(nameOf(name)))
}
