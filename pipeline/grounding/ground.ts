import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"

/** Who is being talked to, and when. */
export interface Grounding {
  readonly addressee: string | null
  /** The time where the person is, for example `Saturday 21:40`; UTC when their time zone is unknown. */
  readonly localTime: string
}

// Making a formatter takes forty times as long as using it.
const formatters = new Map<string, Intl.DateTimeFormat>()
const MOST_FORMATTERS = 1000

const makeFormatter = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "long", hour: "2-digit", minute: "2-digit" })
  } catch {
    return formatterOf("UTC")
  }
}

const formatterOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formatters.get(timeZone)
  if (known !== undefined) return known
  if (formatters.size >= MOST_FORMATTERS) formatters.clear()
  const formatter = makeFormatter(timeZone)
  formatters.set(timeZone, formatter)
  return formatter
}

/** Resolves who and when. */
export const ground = Effect.fnUntraced(function*(turn: Turn) {
  const now = yield* DateTime.now
  const localTime = DateTime.formatIntl(now, formatterOf(turn.endUser.timezone ?? "UTC"))
  return { addressee: turn.endUser.displayName, localTime } satisfies Grounding
})
