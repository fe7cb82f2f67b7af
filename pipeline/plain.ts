import { compatible } from "./compatible.ts"
import { replaceLookAlikes } from "./lookAlikes.ts"

const NON_ASCII = /[^\n -~]/
const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu
/** A run of spaces that is not one space already: of these a text may have thousands. */
const SPACES = / [^\S\n]+|[^\S\n ][^\S\n]*/g
const APOSTROPHES = /[\u2018\u2019\u201b\u2032\u02bc\u00b4`]/g

/**
 * A text in the form in which rules look for words in it: straight apostrophes, common letters and digits instead of
 * their look-alikes of other width, style and alphabet, one space for any run of spaces, and nothing that is not seen.
 * Line breaks stay.
 */
export const plain = (text: string): string =>
  (NON_ASCII.test(text)
    ? replaceLookAlikes(compatible(text, "NFKC").replace(UNSEEN, "")).replace(APOSTROPHES, "'")
    : text
  ).replace(SPACES, " ")
