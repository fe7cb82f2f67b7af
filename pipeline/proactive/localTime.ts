import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { remembered } from "../remembered.ts"

/** A moment as a calendar and a clock on the wall show it. */
export interface Local {
  /** Days since 1970. */
  readonly day: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** Since midnight, as the clock shows it. */
  readonly minute: number
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Clocks are changed on the quarter hour, so that within one they differ from UTC by the same. */
const QUARTER_MS = 900_000
const MOST_ZONES = 1000
const MOST_QUARTERS = 10_000

const UTC = DateTime.zoneMakeNamedUnsafe("UTC")
/**
 * By how much the clocks of a zone are ahead of UTC at a moment, in milliseconds. A zone that is not known counts as
 * UTC.
 */
const aheadIn = remembered(MOST_ZONES, (timezone) => {
  const timeZone = Option.getOrElse(DateTime.zoneMakeNamed(timezone), () => UTC)
  const known = new Map<number, number>()
  return (at: number): number => {
    const quarter = Math.floor(at / QUARTER_MS)
    const before = known.get(quarter)
    if (before !== undefined) return before
    if (known.size >= MOST_QUARTERS) known.clear()
    const ahead = DateTime.zonedOffset(DateTime.makeZonedUnsafe(quarter * QUARTER_MS, { timeZone }))
    known.set(quarter, ahead)
    return ahead
  }
})

/** What time it is there at a moment, in milliseconds. */
export const localAt = (timezone: string, at: number): Local => {
  const wall = at + aheadIn(timezone)(at)
  const day = Math.floor(wall / DAY_MS)
  return { day, weekday: (day + 4) % 7, minute: Math.floor((wall - day * DAY_MS) / MINUTE_MS) }
}

/** Of "HH:MM". */
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/**
 * The moments at which it is this minute of this day there: two where clocks are put back over it; where they are put
 * forward over it, the one that comes that much later.
 */
export const momentsOf = (timezone: string, day: number, minute: number): ReadonlyArray<number> => {
  const ahead = aheadIn(timezone)
  const wall = day * DAY_MS + minute * MINUTE_MS
  const [before, after] = [ahead(wall - DAY_MS), ahead(wall + DAY_MS)]
  if (before === after) return [wall - before]
  const shown = [wall - before, wall - after].filter((moment) => moment + ahead(moment) === wall)
  return shown.length > 0 ? shown : [wall - before]
}

/** The first moment after this one at which it is one of these times of day ("HH:MM") there. */
export const nextTime = (timezone: string, after: number, times: ReadonlyArray<string>): number => {
  const { day } = localAt(timezone, after)
  const moments = times.flatMap((time) =>
    [0, 1, 2].flatMap((ahead) => momentsOf(timezone, day + ahead, minuteOf(time)))
  )
  return Math.min(...moments.filter((moment) => moment > after))
}

export const MIDNIGHT = ["00:00"]
