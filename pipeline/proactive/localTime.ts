import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { memoize } from "../memoize.ts"

/** A moment as local calendar date and clock time. */
export interface Local {
  /** Days since 1970. */
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** Since local midnight. */
  readonly minute: number
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Zone offsets change only on a quarter hour, so the offset is constant within one. */
const QUARTER_MS = 900_000
const MAX_ZONES = 1000
const MAX_QUARTERS = 10_000

const UTC = DateTime.zoneMakeNamedUnsafe("UTC")
/** The offset of a zone from UTC at a moment, in milliseconds. An unknown zone counts as UTC. */
const aheadIn = memoize(MAX_ZONES, (timezone) => {
  const timeZone = Option.getOrElse(DateTime.zoneMakeNamed(timezone), () => UTC)
  const known = new Map<number, number>()
  return (at: number): number => {
    const quarter = Math.floor(at / QUARTER_MS)
    const before = known.get(quarter)
    if (before !== undefined) return before
    if (known.size >= MAX_QUARTERS) known.clear()
    const ahead = DateTime.zonedOffset(DateTime.makeZonedUnsafe(quarter * QUARTER_MS, { timeZone }))
    known.set(quarter, ahead)
    return ahead
  }
})

/** The local time at a moment in milliseconds. */
export const localAt = (timezone: string, at: number): Local => {
  const wall = at + aheadIn(timezone)(at)
  const day = Math.floor(wall / DAY_MS)
  return { day, weekday: (day + 4) % 7, minute: Math.floor((wall - day * DAY_MS) / MINUTE_MS) }
}

/** Minutes since midnight of "HH:MM". */
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/**
 * The moments at which it is this local minute of this day. There are two if clocks are set back over it. If clocks are
 * set forward over it, it is the moment that much later.
 */
export const momentsOf = (timezone: string, day: number, minute: number): ReadonlyArray<number> => {
  const ahead = aheadIn(timezone)
  const wall = day * DAY_MS + minute * MINUTE_MS
  const [before, after] = [ahead(wall - DAY_MS), ahead(wall + DAY_MS)]
  if (before === after) return [wall - before]
  const shown = [wall - before, wall - after].filter((moment) => moment + ahead(moment) === wall)
  return shown.length > 0 ? shown : [wall - before]
}

/** The first moment after this one at which the local time is one of `times` ("HH:MM"). */
export const nextTime = (timezone: string, after: number, times: ReadonlyArray<string>): number => {
  const { day } = localAt(timezone, after)
  let next = Infinity
  for (const time of times) {
    const minute = minuteOf(time)
    // The days after it are not needed then, because no clock is set forward by more than a day.
    let first = Infinity
    for (let ahead = 0; ahead < 3 && first === Infinity; ahead++)
      for (const moment of momentsOf(timezone, day + ahead, minute))
        if (moment > after && moment < first) first = moment
    if (first < next) next = first
  }
  return next
}

export const MIDNIGHT = ["00:00"]
