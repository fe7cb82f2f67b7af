const OF_A_WORD = /[\p{L}\p{N}]/u

/** Whether the part of a text at a position is not part of a longer word. */
export const isWholeWord = (text: string, at: number, length: number): boolean =>
  !OF_A_WORD.test(text.charAt(at - 1)) && !OF_A_WORD.test(text.charAt(at + length))

/** Whether a text contains a phrase exactly, and not as part of a longer word. */
export const hasWholeWord = (text: string, phrase: string): boolean => {
  if (phrase === "") return false
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (isWholeWord(text, at, phrase.length)) return true
  }
  return false
}
