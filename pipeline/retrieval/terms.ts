import { compatible } from "../compatible.ts"

// Scripts written without spaces (and Hangul, whose words carry their particles) are cut into pairs of characters.
const UNSPACED =
  String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}` +
  String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー`
// A word begins with a letter or a digit. A mark alone, such as the variation selector of an emoji, is not a word.
const TOKEN = new RegExp(
  String.raw`[${UNSPACED}][${UNSPACED}\p{M}]*|(?![${UNSPACED}])[\p{L}\p{N}](?:(?![${UNSPACED}])[\p{L}\p{N}\p{M}])*` +
    String.raw`(?:['’](?:(?![${UNSPACED}])[\p{L}\p{N}])+)*`,
  "gu"
)
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u")
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

/** The words of a text in the form in which they are compared: lower case, without apostrophes and Latin accents. */
export const terms = (text: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  if (!NON_ASCII.test(lower))
    return (lower.match(ASCII_TOKEN) ?? []).map((token) => (token.includes("'") ? token.replaceAll("'", "") : token))
  const folded = compatible(lower, "NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
  return (folded.match(TOKEN) ?? []).flatMap((token) =>
    STARTS_UNSPACED.test(token) ? pairs(token) : [token.replace(/['’]/g, "")]
  )
}
