import { compatible } from "../compatible.ts"
import { endsUnspaced, startsUnspaced, UNSPACED } from "../wholeWords.ts"

// A word begins with a letter or a digit. A mark alone, such as the variation selector of an emoji, is not a word.
const TOKEN = new RegExp(
  String.raw`[${UNSPACED}][${UNSPACED}\p{M}]*|(?![${UNSPACED}])[\p{L}\p{N}](?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])*` +
    String.raw`(?:['’](?:(?![${UNSPACED}])[\p{L}\p{N}])+)*`,
  "gu"
)
const NON_ASCII = /[^ -~\s]/
const ASCII_TOKEN = /[a-z0-9]+(?:'[a-z0-9]+)*/g

const pairs = (run: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let before = ""
  for (const character of run) {
    if (before !== "") found.push(before + character)
    before = character
  }
  return found.length === 0 ? [run] : found
}

const SELECTORS = /\p{Variation_Selector}/gu

/** The words of a text, and the runs of a script without spaces: lower case, without apostrophes and Latin accents. */
const tokens = (text: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  if (!NON_ASCII.test(lower))
    return (lower.match(ASCII_TOKEN) ?? []).map((token) => (token.includes("'") ? token.replaceAll("'", "") : token))
  const folded = compatible(lower, "NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .replace(SELECTORS, "")
    .normalize("NFC")
  return (folded.match(TOKEN) ?? []).map((token) => (startsUnspaced(token) ? token : token.replace(/['’]/g, "")))
}

/** The words of a text in the form in which they are compared. Runs of scripts without spaces are cut into pairs. */
export const terms = (text: string): ReadonlyArray<string> => {
  const found = tokens(text)
  return NON_ASCII.test(text) ? found.flatMap((token) => (startsUnspaced(token) ? pairs(token) : [token])) : found
}

/** A text in which phrases are searched for: its words, with a space around each. */
export const spaced = (text: string): string => ` ${tokens(text).join(" ")} `

/**
 * A phrase as it stands in such a text: as whole words, and anywhere at an end in a script without spaces. Empty if it
 * has no word in it.
 */
export const spacedPhrase = (phrase: string): string => {
  const words = tokens(phrase).join(" ")
  if (words === "") return ""
  return `${startsUnspaced(words) ? "" : " "}${words}${endsUnspaced(words) ? "" : " "}`
}
