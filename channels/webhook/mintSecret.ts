import { randomBytes } from "node:crypto"
import * as Redacted from "effect/Redacted"

const BYTES = 32

/** A signing secret in the form of Standard Webhooks. */
export const mintSecret = (): Redacted.Redacted<string> => Redacted.make(`whsec_${randomBytes(BYTES).toString("base64")}`)
