import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import type { OutboundAnswer, OutboundError } from "#channels/outbound/exchange.ts"
import { Outbound } from "#channels/outbound/Outbound.ts"
import { signatureHeaders } from "#channels/webhook/sign.ts"
import { VERSION } from "#pipeline/domain/version.ts"
import { channelUnverified } from "./deliveryErrors.ts"

const TIMEOUT = "5 seconds"

/** Why an address did not confirm, in the words of MCP Events. */
export type Unverified =
  | "challenge_failed"
  | "timeout"
  | "connection_refused"
  | "tls_error"
  | "http_3xx"
  | "http_4xx"
  | "http_5xx"

const UNANSWERED: Readonly<Record<OutboundError["reason"], Unverified>> = {
  blocked_address: "connection_refused",
  unresolved: "connection_refused",
  connect_failed: "connection_refused",
  reset: "connection_refused",
  tls_self_signed: "tls_error",
  tls_expired: "tls_error",
  tls_not_yet_valid: "tls_error",
  tls_wrong_host: "tls_error",
  tls_untrusted: "tls_error",
  tls_failed: "tls_error",
  timeout: "timeout",
  bad_response: "challenge_failed"
}
const BY_STATUS: Readonly<Record<number, Unverified>> = { 3: "http_3xx", 4: "http_4xx", 5: "http_5xx" }

const challengeIn = (body: string): unknown => {
  try {
    const answer: unknown = JSON.parse(body)
    return typeof answer === "object" && answer !== null && "challenge" in answer ? answer.challenge : undefined
  } catch {
    return undefined
  }
}

const problemIn = ({ status, body }: OutboundAnswer, challenge: string): Unverified | null => {
  if (status < 200 || status >= 300) return BY_STATUS[Math.floor(status / 100)] ?? "challenge_failed"
  return challengeIn(body) === challenge ? null : "challenge_failed"
}

/**
 * Asks the address of an MCP event subscription to repeat a random challenge, as MCP Events requires before the first
 * event. The request is signed like an event, so only a receiver that was told the secret trusts it.
 */
export const verifyReceiver = Effect.fnUntraced(function* (
  subscription: string,
  url: URL,
  secret: Redacted.Redacted<string>
) {
  const challenge = randomBytes(32).toString("base64url")
  const body = Buffer.from(JSON.stringify({ type: "verification", challenge }))
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const id = `msg_verification_${randomBytes(16).toString("hex")}`
  const headers = {
    ...signatureHeaders({ id, timestamp, body }, [secret]),
    "content-type": "application/json",
    "user-agent": `Troupe/${VERSION}`,
    "x-mcp-subscription-id": subscription
  }
  const problem = yield* Outbound.use((outbound) =>
    outbound.send({ url: url.href, headers, body, totalTimeout: TIMEOUT })
  ).pipe(
    Effect.map((answer) => problemIn(answer, challenge)),
    Effect.catchTag("OutboundError", ({ reason }) => Effect.succeed(UNANSWERED[reason]))
  )
  if (problem !== null) return yield* channelUnverified(problem)
})
