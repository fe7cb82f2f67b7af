import { plain } from "./plain.ts"

const MARKS = /\p{M}/gu
const NON_ASCII = /[^\n -~]/

/**
 * A text in the form in which rules compare words: look-alikes, widths and styles of letters normalized (`plain`),
 * lower case, no accents (`ñ` is `n`, `ß` is `ss`). Line breaks and punctuation stay. Linear in the length of the text.
 */
export const foldConfusables = (text: string): string => {
  const lower = plain(text).toLowerCase()
  return NON_ASCII.test(lower) ? lower.normalize("NFD").replace(MARKS, "").replaceAll("ß", "ss") : lower
}
