import { hash as digest, randomInt } from "node:crypto"
import { crc32 } from "node:zlib"

/**
 * A credential: its kind, 8 characters of prefix, 32 of secret (190 random bits), 6 of checksum, all base 62. The
 * checksum allows rejecting a mistyped or invented credential without a query. Only the prefix and a plain SHA-256 of
 * the whole are stored. With this much randomness a hash needs no salt, and any process can verify it.
 */
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const PREFIX = 8
const SECRET = 32
const CHECKSUM = 6

/**
 * A runtime key of an app, an account access token (contract 2.2), and a device code, which is exchanged for such a
 * token. An operator's token, the cookie of an operator's session, and the one-time code of a console link.
 */
export type Kind = "ck_" | "lat_" | "dc_" | "op_" | "os_" | "oc_"
/** What a credential begins with: its kind, and for a runtime key the code of the cell that has created it. */
export type Start = Kind | `ck_${string}_`

const random = (length: number) => Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("")

const checksum = (text: string) => {
  let rest = crc32(text)
  let digits = ""
  for (let i = 0; i < CHECKSUM; i++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

const hash = (secret: string): Buffer => digest("sha256", secret, "buffer")

export interface Minted {
  /** The whole credential. Shown once, never stored. */
  readonly secret: string
  readonly prefix: string
  readonly secretHash: Buffer
}

/** The characters up to this length may be shown. */
export const prefixLength = (start: Start): number => start.length + PREFIX

export const mint = (start: Start): Minted => {
  const body = start + random(PREFIX + SECRET)
  const secret = body + checksum(body)
  return { secret, prefix: secret.slice(0, prefixLength(start)), secretHash: hash(secret) }
}

/** The parts of a presented credential to look it up by. Null if it cannot be one of ours. */
export const read = (
  start: Start,
  presented: string
): { readonly prefix: string; readonly secretHash: Buffer } | null => {
  const fits =
    presented.startsWith(start) &&
    presented.length === start.length + PREFIX + SECRET + CHECKSUM &&
    /^[0-9A-Za-z]+$/.test(presented.slice(start.length))
  if (!fits || checksum(presented.slice(0, -CHECKSUM)) !== presented.slice(-CHECKSUM)) return null
  return { prefix: presented.slice(0, prefixLength(start)), secretHash: hash(presented) }
}
