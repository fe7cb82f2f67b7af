/**
 * Text as it is stored: at most `most` characters, and without characters that the database cannot store (U+0000, lone
 * surrogates).
 */
export const bounded = (text: string, most: number): string => {
  const kept = text.toWellFormed().replaceAll("\0", "").trim()
  return kept.length <= most ? kept : kept.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")
}
