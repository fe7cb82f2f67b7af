const LEAST_STEM = 4

/** Whether two words are forms of the same word, judged by their beginnings. */
export const alike = (one: string, other: string): boolean => {
  if (one === other) return true
  const stem = Math.max(LEAST_STEM, Math.min(one.length, other.length) - 2)
  return one.length >= LEAST_STEM && other.length >= LEAST_STEM && one.slice(0, stem) === other.slice(0, stem)
}
