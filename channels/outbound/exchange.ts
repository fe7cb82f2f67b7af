import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type Agent, type Dispatcher, errors } from "undici"
import { Unresolved } from "./LookUp.ts"
import { BlockedAddress } from "./guard.ts"

export interface OutboundAnswer {
  readonly status: number
  readonly headers: { readonly retryAfter?: string }
  /** The beginning of the body, as text that can be stored. */
  readonly body: string
  /** Until the status arrived. */
  readonly latencyMs: number
}

/** No status was received. `sent`: the server may have received the request or a part of it. */
export class OutboundError extends Schema.TaggedError<OutboundError>()("OutboundError", {
  reason: Schema.Literals([
    "blocked_address",
    "unresolved",
    "connect_failed",
    "tls_self_signed",
    "tls_expired",
    "tls_not_yet_valid",
    "tls_wrong_host",
    "tls_untrusted",
    "tls_failed",
    "timeout",
    "reset",
    "bad_response"
  ]),
  sent: Schema.Boolean
}) {
  override get message() {
    return `no answer: ${this.reason}`
  }
}

const MAX_RETRY_AFTER_CHARACTERS = 100
const TLS = new RegExp(
  "^(?:ERR_TLS|ERR_SSL|EPROTO|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA|" +
    "INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)"
)
/** What is wrong with a certificate, by the codes of OpenSSL and Node. `tls_untrusted`: a link to a root is missing. */
const CERTIFICATE_PROBLEMS = new Map<string, OutboundError["reason"]>([
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls_self_signed"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "tls_self_signed"],
  ["CERT_HAS_EXPIRED", "tls_expired"],
  ["CERT_NOT_YET_VALID", "tls_not_yet_valid"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "tls_wrong_host"],
  ["HOSTNAME_MISMATCH", "tls_wrong_host"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls_untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT", "tls_untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls_untrusted"],
  ["CERT_UNTRUSTED", "tls_untrusted"]
])
const BAD_RESPONSE = /^UND_ERR_(?:HEADERS_OVERFLOW|RES_)/

const reasonOf = (error: unknown, sent: boolean): OutboundError["reason"] => {
  if (error instanceof BlockedAddress) return "blocked_address"
  if (error instanceof Unresolved) return "unresolved"
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (/^UND_ERR_.*_TIMEOUT$/.test(code)) return "timeout"
  if (error instanceof errors.HTTPParserError || BAD_RESPONSE.test(code)) return "bad_response"
  if (sent) return "reset"
  return CERTIFICATE_PROBLEMS.get(code) ?? (TLS.test(code) ? "tls_failed" : "connect_failed")
}

export interface Exchange {
  readonly method: "POST" | "PUT" | "PATCH"
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  readonly totalTimeout: Duration.Input
  /** How long the body is waited for once there is a status. */
  readonly bodyTimeout: Duration.Input
  readonly keepBytes: number
}

/** One request. Once there is a status, that is the answer, whatever happens to the body. */
export const exchange = Effect.fnUntraced(function* (
  agent: Agent,
  { method, url, headers, body, totalTimeout, bodyTimeout, keepBytes }: Exchange
) {
  const clock = yield* Clock.Clock
  const began = clock.currentTimeMillisUnsafe()
  let sent = false
  let head: Omit<OutboundAnswer, "body"> | null = null
  const kept: Array<Buffer> = []
  let room = keepBytes

  const told: Effect.Effect<OutboundAnswer, OutboundError> = Effect.suspend(() => {
    // PostgreSQL cannot store U+0000.
    const text = Buffer.concat(kept).toString("utf8").replaceAll("\0", "\uFFFD")
    return head === null
      ? Effect.fail(new OutboundError({ reason: "timeout", sent }))
      : Effect.succeed({ ...head, body: text })
  })

  return yield* Effect.callback<OutboundAnswer, OutboundError>((resume) => {
    let over = false
    let controller: Dispatcher.DispatchController | null = null
    // A plain timer, because Effect's takes a fiber per call.
    const giveUp = () => {
      end(told)
      abandon()
    }
    const timer = setTimeout(giveUp, Duration.toMillis(totalTimeout))
    let bodyTimer: NodeJS.Timeout | undefined
    const stopTimers = () => {
      clearTimeout(timer)
      clearTimeout(bodyTimer)
    }
    const end = (answer: Effect.Effect<OutboundAnswer, OutboundError>) => {
      over = true
      stopTimers()
      resume(answer)
    }
    const abandon = () => {
      over = true
      stopTimers()
      controller?.abort(new Error("enough"))
    }
    agent.dispatch(
      { origin: url.origin, path: url.pathname + url.search, method, headers, body },
      {
        onRequestStart: (started) => {
          controller = started
          // Given up while waiting for a connection: nothing may be sent any more.
          if (over) return abandon()
          sent = true
        },
        onResponseStart: (_, status, { "retry-after": after }) => {
          if (over || status < 200) return
          const retryAfter =
            typeof after === "string" && after.length <= MAX_RETRY_AFTER_CHARACTERS ? { retryAfter: after } : {}
          head = { status, headers: retryAfter, latencyMs: clock.currentTimeMillisUnsafe() - began }
          bodyTimer = setTimeout(giveUp, Duration.toMillis(bodyTimeout))
        },
        onResponseData: (_, chunk) => {
          if (over) return
          kept.push(chunk.subarray(0, room))
          room -= Math.min(room, chunk.length)
          if (room > 0) return
          end(told)
          abandon()
        },
        onResponseEnd: () => end(told),
        onResponseError: (_, error) => {
          if (!over) end(head === null ? Effect.fail(new OutboundError({ reason: reasonOf(error, sent), sent })) : told)
        }
      }
    )
    return Effect.sync(abandon)
  })
})
