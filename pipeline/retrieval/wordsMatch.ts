/** How much of two words has to be the same at least. A shorter word has no other forms. */
export const BEGINNING_CHARS = 4
/** How much of a word the other forms of it begin with. */
export const stemChars = (word: string): number => Math.max(BEGINNING_CHARS, word.length - 2)

/** Whether two words are forms of the same word, judged by their beginnings. */
export const wordsMatch = (one: string, other: string): boolean => {
  if (one === other) return true
  const stem = Math.min(stemChars(one), stemChars(other))
  return one.length >= BEGINNING_CHARS && other.length >= BEGINNING_CHARS && one.slice(0, stem) === other.slice(0, stem)
}
