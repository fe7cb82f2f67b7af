import { createHmac, createSecretKey, type KeyObject } from "node:crypto"
import * as Redacted from "effect/Redacted"
import { keyBytesOf } from "./secret.ts"

/** With a key object, node:crypto signs several times as fast. */
const keys = new WeakMap<Redacted.Redacted<string>, KeyObject>()
const keyOf = (secret: Redacted.Redacted<string>): KeyObject => {
  const key = keys.get(secret) ?? createSecretKey(keyBytesOf(Redacted.value(secret)))
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
