import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import type { Turn } from "../domain/Turn.ts"
import { remembered } from "../remembered.ts"

/** Who is being talked to, and when. */
export interface Grounding {
  readonly addressee: string | null
  /** The time where the person is, for example `Saturday 21:40`; UTC when their time zone is unknown. */
  readonly localTime: string
}

const MOST_FORMATTERS = 1000

// Making a formatter takes forty times as long as using it.
const formatterOf = remembered(MOST_FORMATTERS, (timeZone): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "long", hour: "2-digit", minute: "2-digit" })
  } catch {
    return formatterOf("UTC")
  }
})

/** Resolves who and when. */
export const ground = Effect.fnUntraced(function*(turn: Turn) {
  const now = yield* DateTime.now
  const localTime = DateTime.formatIntl(now, formatterOf(turn.endUser.timezone ?? "UTC"))
  return { addressee: turn.endUser.displayName, localTime } satisfies Grounding
})
