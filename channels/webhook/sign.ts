import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import * as Redacted from "effect/Redacted"

const PREFIX = "whsec_"
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/

/**
 * After `whsec_`, base64 is decoded. Any other secret is used as its own bytes. Returns a key object, with which
 * node:crypto signs several times as fast.
 */
const readKey = (secret: string): KeyObject => {
  const encoded = secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : ""
  return createSecretKey(BASE64.test(encoded) ? Buffer.from(encoded, "base64") : Buffer.from(secret, "utf8"))
}

const keys = new WeakMap<Redacted.Redacted<string>, KeyObject>()
const keyOf = (secret: Redacted.Redacted<string>): KeyObject => {
  const key = keys.get(secret) ?? readKey(Redacted.value(secret))
  keys.set(secret, key)
  return key
}

/** The exact content that is signed. */
export interface Signed {
  readonly id: string
  /** Seconds since the epoch. */
  readonly timestamp: number
  readonly body: Uint8Array
}

/** The headers of Standard Webhooks, with one signature per secret. */
export const signatureHeaders = (
  { id, timestamp, body }: Signed,
  secrets: ReadonlyArray<Redacted.Redacted<string>>
) => ({
  "webhook-id": id,
  "webhook-timestamp": String(timestamp),
  "webhook-signature": secrets
    .map(
      (secret) =>
        `v1,${createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.`).update(body).digest("base64")}`
    )
    .join(" ")
})
