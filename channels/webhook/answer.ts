import type * as Duration from "effect/Duration"
import { Attempt } from "../Channel.ts"

/** Bytes of an answer that are kept. */
export const MOST_BYTES = 8192

/** Statuses by which a receiver, or what stands before it, says that it has too much to do. */
const THROTTLE: ReadonlySet<number> = new Set([429, 502, 504])

/**
 * As much of a text as fits into so many bytes of UTF-8. What was invalid in an answer has grown when it was replaced.
 */
export const within = (bytes: number, text: string): string =>
  // No unit of a string takes more than three.
  text.length * 3 <= bytes ? text : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read)

/** What an answer means for the event that it is the answer to. */
export const readAnswer = (statusCode: number, answer: string, retryAfter: Duration.Duration | null): Attempt => {
  if (statusCode >= 200 && statusCode < 300) return Attempt.cases.Sent.make({ statusCode, answer })
  if (statusCode === 410) return Attempt.cases.Gone.make({ statusCode, answer, errorCode: "http_410" })
  const errorCode = statusCode >= 300 && statusCode < 400 ? "redirect" : `http_${statusCode}`
  return Attempt.cases.NotSent.make({ statusCode, answer, errorCode, retryAfter, throttle: THROTTLE.has(statusCode) })
}
