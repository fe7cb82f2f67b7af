import * as DateTime from "effect/DateTime"
import type { LifeRhythm } from "../domain/Character.ts"
import { memoize } from "../memoize.ts"

const MAX_FORMATTERS = 1000

// Creating a formatter takes forty times as long as using it.
const formatterOf = memoize(MAX_FORMATTERS, (timeZone): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat("en-GB", { timeZone, weekday: "long", hour: "2-digit", minute: "2-digit" })
  } catch {
    return formatterOf("UTC")
  }
})

/** A weekday and a time, for example `Saturday 21:40`. UTC if the time zone is unknown. */
export const localTime = (now: DateTime.Utc, timezone: string | null): string =>
  DateTime.formatIntl(now, formatterOf(timezone ?? "UTC"))

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]

/** Whether a time of day is within a span that may cross midnight. Times are `HH:MM`, which sort as text. */
const within = (time: string, from: string, to: string): boolean =>
  from <= to ? from <= time && time < to : from <= time || time < to

/** What the character is doing by its life rhythm, if its author defined one. */
export const occupation = (
  rhythm: LifeRhythm,
  now: DateTime.Utc
): { readonly localTime: string; readonly doing: string } | null => {
  const { timezone, wake, sleep, busy } = rhythm
  if (timezone === undefined && wake === undefined && sleep === undefined && busy.length === 0) return null
  const here = localTime(now, timezone ?? null)
  const [day = "", time = ""] = here.split(" ")
  const at = busy.find(({ days, from, to }) => days.includes(DAYS.indexOf(day)) && within(time, from, to))
  if (at !== undefined) return { localTime: here, doing: at.label === "" ? "busy" : at.label }
  return {
    localTime: here,
    doing:
      wake !== undefined && sleep !== undefined && within(time, sleep, wake)
        ? "asleep, or just woken by the message"
        : "free"
  }
}
