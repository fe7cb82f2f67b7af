/**
 * Scripts without spaces between words, and Hangul, whose words carry their particles. A phrase in one of them is found
 * wherever it stands, because no sign tells where a word begins or ends.
 */
export const UNSPACED =
  String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}` +
  String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー`
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u")
/**
 * A letter, a digit or a mark on one, in a script with spaces. Variation selectors and the marks of kana continue no
 * such word.
 */
const OF_A_SPACED_WORD = new RegExp(
  String.raw`^(?![${UNSPACED}\p{Variation_Selector}\u3099\u309A])[\p{L}\p{N}\p{Mn}\p{Mc}]`,
  "u"
)

/** The whole character, of which a half may be at this position. Empty outside of the text. */
const characterAt = (text: string, at: number): string => {
  const unit = text.charCodeAt(at)
  if ((unit & 0xf800) !== 0xd800) return text.charAt(at)
  const from = (unit & 0xfc00) === 0xdc00 ? at - 1 : at
  return text.slice(from, from + 2)
}

export const startsUnspaced = (text: string): boolean => IS_UNSPACED.test(text)
export const endsUnspaced = (text: string): boolean => IS_UNSPACED.test(characterAt(text, text.length - 1))

/** Whether the character at a position belongs to a word of a script with spaces. Outside of the text there is none. */
export const isOfAWord = (text: string, at: number): boolean => OF_A_SPACED_WORD.test(characterAt(text, at))

/** Whether a text contains a phrase exactly, and not as part of a longer word, as far as its script marks words. */
export const hasWholeWord = (text: string, phrase: string): boolean => {
  if (phrase === "") return false
  const isOpenBefore = startsUnspaced(phrase)
  const isOpenBehind = endsUnspaced(phrase)
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if ((isOpenBefore || !isOfAWord(text, at - 1)) && (isOpenBehind || !isOfAWord(text, at + phrase.length)))
      return true
  }
  return false
}
