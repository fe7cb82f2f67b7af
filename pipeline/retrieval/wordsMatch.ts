const MIN_STEM = 4

/** Whether two words are forms of the same word, judged by their beginnings. */
export const wordsMatch = (one: string, other: string): boolean => {
  if (one === other) return true
  const stem = Math.max(MIN_STEM, Math.min(one.length, other.length) - 2)
  return one.length >= MIN_STEM && other.length >= MIN_STEM && one.slice(0, stem) === other.slice(0, stem)
}
