import { remembered } from "../remembered.ts"
import { terms } from "../retrieval/terms.ts"

const MOST_NAMES = 10_000
const padded = (text: string): string => ` ${terms(text).join(" ")} `
const nameOf = remembered(MOST_NAMES, padded)

/** Tells of a text whether it has one of some names in it, as whole words, whatever their case and accents. */
export const namesIn = (text: string): ((wanted: ReadonlyArray<string>) => boolean) => {
  const words = padded(text)
  return (wanted) => wanted.some((name) => nameOf(name).trim() !== "" && words.includes(nameOf(name)))
}
