import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"

/** A new signing secret in the form of Standard Webhooks. */
export const newSecret = (): Redacted.Redacted<string> => Redacted.make(`whsec_${randomBytes(32).toString("base64")}`)
