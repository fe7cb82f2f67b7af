import { randomInt } from "node:crypto"

/** No vowels, so that it spells nothing, and nothing that looks like another (RFC 8628, 6.1): 20^8 codes. */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
const HALF = 4

/** What a person types in, as it is shown: `WDJB-MJHT`. */
export const newUserCode = (): string => {
  const half = () => Array.from({ length: HALF }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")
  return `${half()}-${half()}`
}

/** What somebody typed as it would be shown, whatever they made of the case and the dash; null: it can be no code. */
export const readUserCode = (typed: string): string | null => {
  const letters = typed.slice(0, 100).toUpperCase().replaceAll(/[^A-Z0-9]/g, "")
  return letters.length === 2 * HALF && [...letters].every((letter) => ALPHABET.includes(letter)) ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}` : null
}
