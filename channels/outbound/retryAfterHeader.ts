import * as Duration from "effect/Duration"

const SECONDS = /^\d+$/
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** The maximum delay that a receiver may request. */
const LONGEST = Duration.days(1)

/**
 * Retry-After as in RFC 9110, in seconds or as a date. `now`: milliseconds since the epoch. Null: missing or invalid.
 */
export const readRetryAfter = (header: string | null, now: number): Duration.Duration | null => {
  const text = header?.trim() ?? ""
  const millis = SECONDS.test(text) ? Number(text) * 1000 : HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN
  return Number.isNaN(millis)
    ? null
    : Duration.clamp(Duration.millis(millis), { minimum: Duration.zero, maximum: LONGEST })
}
