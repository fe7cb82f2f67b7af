const OF_A_WORD = /[\p{L}\p{N}]/u

/** Whether a text contains a phrase exactly, and not as part of a longer word. */
export const hasWholeWord = (text: string, phrase: string): boolean => {
  if (phrase === "") return false
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    if (!OF_A_WORD.test(text.charAt(at - 1)) && !OF_A_WORD.test(text.charAt(at + phrase.length))) return true
  }
  return false
}
