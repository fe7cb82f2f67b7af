/** Longer words are not typos of anything. It bounds the work on text from outside. */
const MAX_LETTERS = 40

/**
 * How many letters have to be added, removed, replaced or swapped with their neighbour to make one word of the other.
 * Infinity: more than `most`.
 */
export const distance = (a: string, b: string, most: number): number => {
  if (a === b) return 0
  if (a.length > MAX_LETTERS || b.length > MAX_LETTERS || Math.abs(a.length - b.length) > most) return Infinity
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const next = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity
        )
      )
    }
    beforeLast = last
    last = next
  }
  const found = last[b.length] ?? Infinity
  return found > most ? Infinity : found
}

/** A third of the letters may be wrong, and at most three. A word of two letters is nobody's typo. */
export const mostWrong = (word: string): number => Math.min(3, Math.floor(word.length / 3))

/** A word as people write it in any style: `replyMode`, `reply-mode` and `reply_mode` are the same. */
const folded = (word: string) => word.toLowerCase().replaceAll(/[-_ ]/g, "")

/** The word that was probably meant. Undefined: none is near. */
export const nearest = (word: string, known: Iterable<string>): string | undefined => {
  if (word.length > MAX_LETTERS) return undefined
  const given = folded(word)
  let found: { readonly name: string; readonly wrong: number } | undefined
  for (const name of known) {
    const wrong = distance(given, folded(name), mostWrong(name))
    if (Number.isFinite(wrong) && name !== word && (found === undefined || wrong < found.wrong)) found = { name, wrong }
  }
  return found?.name
}
