import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Attempt } from "../Channel.ts"
import type { OutboundAnswer } from "./exchange.ts"
import { readRetryAfter } from "./retryAfterHeader.ts"

/** Maximum stored size of an answer, in bytes. */
const MAX_BYTES = 8192

/** Statuses of an overloaded receiver or proxy. */
const THROTTLE: ReadonlySet<number> = new Set([429, 502, 504])

/**
 * As much of a text as fits into this many bytes of UTF-8. Invalid bytes of an answer were replaced, which may have
 * made it longer.
 */
const within = (bytes: number, text: string): string =>
  // A UTF-16 unit takes at most three bytes.
  text.length * 3 <= bytes ? text : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read)

/**
 * What an HTTP answer means for its message. `asked`: the wait that the receiver asks for, where it says so elsewhere
 * than in `Retry-After`. Null: it asks for none.
 */
export const readAnswer = Effect.fnUntraced(function* (
  { status: statusCode, headers, body }: OutboundAnswer,
  asked?: Duration.Duration | null
) {
  const answer = within(MAX_BYTES, body)
  if (statusCode >= 200 && statusCode < 300) return Attempt.cases.Sent.make({ statusCode, answer })
  if (statusCode === 410) return Attempt.cases.Gone.make({ statusCode, answer, errorCode: "http_410" })
  const errorCode = statusCode >= 300 && statusCode < 400 ? "redirect" : `http_${statusCode}`
  const retryAfter =
    asked === undefined ? readRetryAfter(headers.retryAfter ?? null, yield* Clock.currentTimeMillis) : asked
  return Attempt.cases.NotSent.make({ statusCode, answer, errorCode, retryAfter, throttle: THROTTLE.has(statusCode) })
})
