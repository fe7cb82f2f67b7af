import { Webhook } from "standardwebhooks"
import { TroupeError } from "./errors.ts"
import type { WebhookEvent } from "./generated/types.gen.ts"

/** The request does not come from the server that has the secret, or its body was changed, or it is old. */
export class SignatureError extends TroupeError {
  override readonly name = "SignatureError"
}

type Headers_ = Headers | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

const headerOf = (headers: Headers_, name: string): string => {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  return typeof value === "string" ? value : (value?.[0] ?? "")
}

/**
 * The event in the request of a webhook channel, if its signature is right. `body`: the raw bytes, or the text that
 * they are in UTF-8, before any parsing. Events arrive at least once: use `id` to detect duplicates. Throws a
 * SignatureError.
 */
export const unwrap = (body: string | Uint8Array, headers: Headers_, secret: string): WebhookEvent => {
  const text = typeof body === "string" ? body : new TextDecoder().decode(body)
  const signed = Object.fromEntries(
    ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, headerOf(headers, name)])
  )
  try {
    const webhook = secret.startsWith("whsec_")
      ? new Webhook(secret)
      : new Webhook(new TextEncoder().encode(secret), { format: "raw" })
    webhook.verify(text, signed)
  } catch (cause) {
    throw new SignatureError("the signature of the webhook is not right", { cause })
  }
  return JSON.parse(text) as WebhookEvent
}
