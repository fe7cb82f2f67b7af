const OF_A_WORD = /[\p{L}\p{N}]/u

/** Whether the character at a position of a text belongs to a word. Outside of the text there is none. */
export const isOfAWord = (text: string, at: number): boolean => OF_A_WORD.test(text.charAt(at))

/** Whether a text contains a phrase exactly, and not as part of a longer word. */
export const hasWholeWord = (text: string, phrase: string): boolean => {
  if (phrase === "") return false
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (!isOfAWord(text, at - 1) && !isOfAWord(text, at + phrase.length)) return true
  }
  return false
}
