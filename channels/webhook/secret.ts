import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"

const PREFIX = "whsec_"
export const MIN_SECRET = 16
export const MAX_SECRET = 256
/** The form of a signing secret, as errors and descriptions say it. */
export const SECRET_FORM =
  `${MIN_SECRET} to ${MAX_SECRET} characters: ${PREFIX} and the key in standard base64 with its padding, or any ` +
  "other text, which is itself the key"

/** A new signing secret in the form of Standard Webhooks. */
export const newSecret = (): Redacted.Redacted<string> => Redacted.make(PREFIX + randomBytes(32).toString("base64"))

/** The bytes of standard base64 with its padding. Null if the text is anything else. */
const decoded = (text: string): Buffer | null => {
  const bytes = Buffer.from(text, "base64")
  return bytes.length > 0 && bytes.toString("base64") === text ? bytes : null
}

/** The key of a secret: what follows `whsec_`, decoded, or the text itself. */
export const keyBytesOf = (secret: string): Buffer =>
  (secret.startsWith(PREFIX) ? decoded(secret.slice(PREFIX.length)) : null) ?? Buffer.from(secret, "utf8")

const hasControlCharacter = (text: string) => /\p{Cc}/u.test(text)

/**
 * Why the libraries of Standard Webhooks could not verify with this secret, or would take another key than we do.
 * Null: it can be used. Never contains the secret.
 */
export const problemOf = (secret: string): string | null => {
  // Counted as people count: a character outside the basic plane is one. No text this long has fewer characters.
  const length = secret.length > 2 * MAX_SECRET ? secret.length : [...secret].length
  if (length < MIN_SECRET || length > MAX_SECRET) return `Must be ${MIN_SECRET} to ${MAX_SECRET} characters`
  if (hasControlCharacter(secret) || secret.trim() !== secret)
    return "Must not contain line breaks or other control characters, or begin or end with a space"
  if (!secret.startsWith(PREFIX))
    return decoded(secret) === null
      ? null
      : `Looks like base64, which libraries decode and we would not. Put ${PREFIX} in front of it`
  return decoded(secret.slice(PREFIX.length)) === null
    ? `After ${PREFIX}, must be standard base64: A-Z, a-z, 0-9, + and /, with = up to a multiple of four characters`
    : null
}
