import { compatible } from "../compatible.ts"
import { isInCries, wordsIn } from "./gluedWords.ts"

/**
 * Words as they are read where they were disguised in ways that an ordinary text uses too: "su!cide", "5uicide",
 * "s-t-e-r-b-e-n", "i  w a n t", "mo.rrer", "1 want t0 d13". The classifier reads such sentences a second time in this
 * form.
 */

const UNSEEN = /\p{Default_Ignorable_Code_Point}/gu
/** Letters that stand alone, one after the other. */
const APART = /(?<![\p{L}\p{N}])[\p{L}\d@$!](?:[ .\-_*·•|/~,+]{1,4}[\p{L}\d@$!](?![\p{L}\p{N}@$])){2,80}/gu
const GAP = /[ .\-_*·•|/~,+]+/g
/** A word with a digit or a sign in it, or with a digit before it. */
const MARKED = /(?<![\p{L}\p{N}])[\p{L}\d@$!|€*#._·•~/-]{2,40}(?![\p{L}\p{N}])/gu
const SIGN = /[\d@$!|€*#._·•~/-]/
const WITHIN = /(?<=[\p{L}\d@$])[*#._·•~/-]{1,3}(?=[\p{L}\d@$!])/gu
const LETTERS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "i",
  "€": "e"
}
const DOUBLE_ONE = /(?<=\p{L})11/gu
/** One sign between letters, before them or after them. A number is not a word. */
const FOR_LETTER = /(?<=\p{L})[0134578@$!|€](?=[\p{L}\d@$])|(?<=[@$!\d])[0134578@$!|€](?=\p{L})/gu
const BEFORE_WORD = /^[0134579@$](?=\p{L}{3})/u
const AFTER_WORD = /(?<=\p{L}{2})[01345@$]$/u
const TWO_LETTERS = /\p{L}.*\p{L}/u
const LETTER_FIRST = /^\p{L}/u
const ALL_SIGNS = /[\d@$!|€]/g
/** "1" for "I", alone or in "1m", "1ll", "1ve", "1d", "1ch". */
const ONE_FOR_I = /(?<![\p{L}\p{N}.,:/-])1(?=(?:m|ll|ve|d|ch)?(?![\p{L}\p{N}%°€]|[.,:/-]\d))/gu
const DIGIT_IN_WORD = /\p{L}\d|\d\p{L}{2}/u

/** Joins letters set apart. The narrowest gap is between letters, any wider one between words. */
const joined = (run: string): string => {
  const narrowest = Math.min(...(run.match(GAP) ?? []).map((gap) => gap.length))
  return run
    .replace(GAP, (gap) => (gap.length > narrowest ? " " : ""))
    .split(" ")
    .map((word) => wordsIn(word.replace(/[\d@$!]/g, (sign) => LETTERS[sign] ?? sign)))
    .join(" ")
}

/** Words of a few letters, as in "t0" and "d13", are read only if they are common in cries for help. */
const asShortWord = (given: string): string => {
  const word = given.replace(ALL_SIGNS, (sign) => LETTERS[sign] ?? sign).toLowerCase()
  return LETTER_FIRST.test(given) && isInCries(word) ? word : given
}

const asWord = (given: string): string => {
  if (!SIGN.test(given)) return given
  if (!TWO_LETTERS.test(given)) return asShortWord(given)
  return given
    .replace(WITHIN, "")
    .replace(DOUBLE_ONE, "ll")
    .replace(FOR_LETTER, (sign) => LETTERS[sign] ?? sign)
    .replace(BEFORE_WORD, (sign) => LETTERS[sign] ?? sign)
    .replace(AFTER_WORD, (sign) => LETTERS[sign] ?? sign)
}

const SENTENCE_END = /(?<=[.!?…]\s)|\n+/u
const MAX_READ = 1_000

/** A "1" is read as "I" only in a sentence that has digits for letters elsewhere. */
const undisguisedSentence = (sentence: string): string => {
  const read = sentence.replace(APART, joined).replace(MARKED, asWord)
  return read !== sentence && DIGIT_IN_WORD.test(sentence) ? read.replace(ONE_FOR_I, "i") : read
}

/** The sentences of a text that change when disguises are undone, in their undisguised form. Null if there are none. */
export const undisguisedSentences = (text: string): string | null => {
  const changed: Array<string> = []
  let room = MAX_READ
  for (const sentence of compatible(text, "NFKC").replace(UNSEEN, "").split(SENTENCE_END)) {
    const read = undisguisedSentence(sentence)
    if (read === sentence) continue
    changed.push(read)
    room -= read.length
    if (room <= 0) break
  }
  return changed.length === 0 ? null : changed.join("\n").slice(0, MAX_READ)
}
