import { randomInt } from "node:crypto"

/**
 * No vowels, to avoid words, and no characters that look alike (RFC 8628, 6.1). Ten of these 20 letters give 20^10 =
 * 1.0e13 codes. There is no limit over all addresses together, because anybody could exhaust it and lock the page for
 * everybody. The number of codes is the protection: if 2,000 codes per second are tried from many addresses, that is
 * 1.8e6 in the 15 minutes that a code lasts. With 1,000 waiting codes, the probability of a hit is 1.8e6 * 1e3 / 1.0e13
 * = 0.02 %. From one address it is 30 tries and 3e-9. A hit only lets the attacker put their own account in the place
 * of the person's.
 */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
const HALF = 5

/** A new code in the form in which it is shown: `WDJBC-MJHTK`. */
export const newUserCode = (): string => {
  const half = () => Array.from({ length: HALF }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")
  return `${half()}-${half()}`
}

/** A typed code in the form in which it is shown, regardless of case and dash. Null: it cannot be a code. */
export const readUserCode = (typed: string): string | null => {
  const letters = typed
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
  return letters.length === 2 * HALF && [...letters].every((letter) => ALPHABET.includes(letter))
    ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
    : null
}
