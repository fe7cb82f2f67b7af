import { compatible } from "#pipeline/compatible.ts"

/** Capital letters, five dots wide and seven high, with one number for each row from the top. */
const GLYPHS: Readonly<Record<string, ReadonlyArray<number>>> = {
  A: [14, 17, 17, 31, 17, 17, 17],
  B: [30, 17, 17, 30, 17, 17, 30],
  C: [14, 17, 16, 16, 16, 17, 14],
  D: [30, 17, 17, 17, 17, 17, 30],
  E: [31, 16, 16, 30, 16, 16, 31],
  F: [31, 16, 16, 30, 16, 16, 16],
  G: [14, 17, 16, 23, 17, 17, 15],
  H: [17, 17, 17, 31, 17, 17, 17],
  I: [14, 4, 4, 4, 4, 4, 14],
  J: [7, 2, 2, 2, 2, 18, 12],
  K: [17, 18, 20, 24, 20, 18, 17],
  L: [16, 16, 16, 16, 16, 16, 31],
  M: [17, 27, 21, 21, 17, 17, 17],
  N: [17, 25, 21, 19, 17, 17, 17],
  O: [14, 17, 17, 17, 17, 17, 14],
  P: [30, 17, 17, 30, 16, 16, 16],
  Q: [14, 17, 17, 17, 21, 18, 13],
  R: [30, 17, 17, 30, 20, 18, 17],
  S: [15, 16, 16, 14, 1, 1, 30],
  T: [31, 4, 4, 4, 4, 4, 4],
  U: [17, 17, 17, 17, 17, 17, 14],
  V: [17, 17, 17, 17, 17, 10, 4],
  W: [17, 17, 17, 21, 21, 27, 17],
  X: [17, 17, 10, 4, 10, 17, 17],
  Y: [17, 17, 10, 4, 4, 4, 4],
  Z: [31, 1, 2, 4, 8, 16, 31],
  "?": [14, 17, 1, 2, 4, 0, 4]
}
export const GLYPH_WIDTH = 5
export const GLYPH_HEIGHT = 7

/** Whether the letter has a dot at this position. */
export const hasDot = (letter: string, x: number, y: number): boolean =>
  (((GLYPHS[letter]?.[y] ?? 0) >> (GLYPH_WIDTH - 1 - x)) & 1) === 1

/** The first letters of up to two words of a name, if there are glyphs for them. */
export const initialsOf = (name: string): string => {
  const letters = compatible(name, "NFKD")
    .toUpperCase()
    .split(/\s+/)
    .flatMap((word) => {
      const first = [...word].find((letter) => letter in GLYPHS && letter !== "?")
      return first === undefined ? [] : [first]
    })
  return letters.slice(0, 2).join("") || "?"
}
