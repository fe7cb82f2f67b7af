import { createHash, randomInt } from "node:crypto"
import { crc32 } from "node:zlib"

/**
 * A runtime key: `ck_`, 8 characters of prefix, 32 of secret (190 random bits), 6 of checksum, all base 62.
 * The checksum lets a mistyped or made-up key be refused without a look-up. Stored are the prefix and a plain SHA-256 of the whole:
 * with that much randomness a hash needs no salt, and any process can check it.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** `ck_` and what follows it up to here may be shown. */
export const PREFIX_LENGTH = 11
const FORM = /^ck_[0-9A-Za-z]{46}$/

const random = (length: number) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")

const checksum = (text: string) => {
  let rest = crc32(text)
  let digits = ""
  for (let i = 0; i < 6; i++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const hash = (key: string): Buffer => createHash("sha256").update(key).digest()

export interface MintedKey {
  /** The whole key. Shown once, never stored. */
  readonly apiKey: string
  readonly prefix: string
  readonly secretHash: Buffer
}

export const mintApiKey = (): MintedKey => {
  const body = `ck_${random(40)}`
  const apiKey = body + checksum(body)
  return { apiKey, prefix: apiKey.slice(0, PREFIX_LENGTH), secretHash: hash(apiKey) }
}

/** The parts of a presented key to look it up by; null when it cannot be one of ours. */
export const readApiKey = (presented: string): { readonly prefix: string; readonly secretHash: Buffer } | null => {
  if (!FORM.test(presented) || checksum(presented.slice(0, -6)) !== presented.slice(-6)) return null
  return { prefix: presented.slice(0, PREFIX_LENGTH), secretHash: hash(presented) }
}
