import { randomInt } from "node:crypto"

/**
 * No vowels, so that it spells nothing, and nothing that looks like another (RFC 8628, 6.1). Ten of these 20 letters
 * are 20^10 = 1.0e13 codes. No limit for all addresses together guards them, since anybody could use that up and lock
 * the page for everybody. They are safe because they are many: a server that tries 2,000 codes a second, from as many
 * addresses as it takes, tries 1.8e6 in the 15 minutes that a code lasts, and with 1,000 codes waiting hits one of them
 * with a probability of 1.8e6 * 1e3 / 1.0e13 = 0.02 %. From one address it is 30 tries and 3e-9. Whoever hits one can
 * only put their own account in the place of the person's.
 */
const ALPHABET = "BCDFGHJKLMNPQRSTVWXZ"
const HALF = 5

/** What a person types in, as it is shown: `WDJBC-MJHTK`. */
export const newUserCode = (): string => {
  const half = () => Array.from({ length: HALF }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")
  return `${half()}-${half()}`
}

/** What somebody typed as it would be shown, whatever they made of the case and the dash; null: it can be no code. */
export const readUserCode = (typed: string): string | null => {
  const letters = typed
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, "")
  return letters.length === 2 * HALF && [...letters].every((letter) => ALPHABET.includes(letter))
    ? `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
    : null
}
