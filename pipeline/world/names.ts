import { memoize } from "../memoize.ts"
import { Phrases } from "../retrieval/Phrases.ts"
import { terms } from "../retrieval/terms.ts"

const MAX_NAMES = 10_000
const padded = (text: string): string => ` ${terms(text).join(" ")} `
const nameOf = memoize(MAX_NAMES, padded)

/**
 * Returns a function that tells whether the text contains one of some names, as whole words, regardless of case and
 * accents.
 */
export const namesIn = (text: string): ((wanted: ReadonlyArray<string>) => boolean) => {
  const words = new Phrases(padded(text))
  return (wanted) => wanted.some((name) => nameOf(name).trim() !== "" && words.has(nameOf(name)))
}
