/**
 * Words as they are kept: no more than so many characters, and none that the database has no place for (U+0000, half a
 * surrogate pair).
 */
export const bounded = (text: string, most: number): string => {
  const kept = text.toWellFormed().replaceAll("\0", "").trim()
  return kept.length <= most ? kept : kept.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
}
