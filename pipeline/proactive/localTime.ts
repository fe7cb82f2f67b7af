import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { remembered } from "../remembered.ts"

/** A moment as a clock and a calendar on the wall show it. */
export interface Local {
  /** `YYYY-MM-DD`. */
  readonly day: string
  /** 0 is Sunday. */
  readonly weekday: number
  /** `HH:MM`. */
  readonly time: string
}

const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
/** Clocks are changed on the quarter hour, so that within one they differ from UTC by the same. */
const QUARTER_MS = 900_000
const MOST_ZONES = 1000
const MOST_QUARTERS = 5000

const UTC = DateTime.zoneMakeNamedUnsafe("UTC")
/** By how much the clocks of a zone are ahead of UTC in a quarter hour, in milliseconds. A zone that is not known counts as UTC. */
const aheadOf = remembered(MOST_ZONES, (timezone) => {
  const timeZone = Option.getOrElse(DateTime.zoneMakeNamed(timezone), () => UTC)
  return remembered(MOST_QUARTERS, (quarter) => DateTime.zonedOffset(DateTime.makeZonedUnsafe(Number(quarter) * QUARTER_MS, { timeZone })))
})
/** The moment in UTC at which the clock there shows what it shows in the zone at this one. */
const onTheWall = (timezone: string, at: number): number => at + aheadOf(timezone)(String(Math.floor(at / QUARTER_MS)))

/** What time it is there at a moment, in milliseconds. */
export const localAt = (timezone: string, at: number): Local => {
  const wall = new Date(onTheWall(timezone, at))
  const iso = wall.toISOString()
  return { day: iso.slice(0, 10), weekday: wall.getUTCDay(), time: iso.slice(11, 16) }
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))

/** The moments at which the clock there shows this, in UTC's terms: two where it is put back; where it is put forward over it, the one that comes that much later. */
const momentsOf = (timezone: string, wall: number): ReadonlyArray<number> => {
  const [before, after] = [wall - DAY_MS, wall + DAY_MS].map((near) => wall - (onTheWall(timezone, near) - near)) as [number, number]
  const shown = [before, after].filter((moment) => onTheWall(timezone, moment) === wall)
  return shown.length > 0 ? shown : [before]
}

/** The first moment after this one at which it is one of these times of day ("HH:MM") there. */
export const nextTime = (timezone: string, after: number, times: ReadonlyArray<string>): number => {
  const midnight = Math.floor(onTheWall(timezone, after) / DAY_MS) * DAY_MS
  const moments = times.flatMap((time) => [0, 1, 2].flatMap((days) => momentsOf(timezone, midnight + days * DAY_MS + minutesOf(time) * MINUTE_MS)))
  return Math.min(...moments.filter((moment) => moment > after))
}

export const MIDNIGHT = ["00:00"]
