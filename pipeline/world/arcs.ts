import { localAt, momentsOf } from "../proactive/localTime.ts"
import type { Arc, Influence, SessionWorld } from "./World.ts"
import { beatOf } from "./storylines.ts"

export const ARC_STATUSES = ["scheduled", "active", "expired", "cancelled"] as const
export type ArcStatus = (typeof ARC_STATUSES)[number]

const DAY_MINUTES = 1440
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

/** Local clock time in minutes since 1970. Recurrences follow the local clock. */
const wallAt = (timezone: string, at: number): number => {
  const { day, minute } = localAt(timezone, at)
  return day * DAY_MINUTES + minute
}

/** In a year without it, February 29 becomes February 28. */
const sameDayIn = (year: number, day: number): number => {
  const first = new Date(day * DAY_MS)
  const last = new Date(Date.UTC(year, first.getUTCMonth() + 1, 0)).getUTCDate()
  return Date.UTC(year, first.getUTCMonth(), Math.min(first.getUTCDate(), last)) / DAY_MS
}

/** The day of the last occurrence that began by `now`, in days since 1970. */
const lastDay = (recurrence: Arc["recurrence"], first: number, now: number): number => {
  const [day, minute] = [Math.floor(first / DAY_MINUTES), first % DAY_MINUTES]
  const by = Math.floor((now - minute) / DAY_MINUTES)
  switch (recurrence) {
    case "none":
      return day
    case "daily":
      return by
    case "weekly":
      return by - ((((by - day) % 7) + 7) % 7)
    case "yearly": {
      const year = new Date(by * DAY_MS).getUTCFullYear()
      const thisYear = sameDayIn(year, day)
      return thisYear <= by ? thisYear : sameDayIn(year - 1, day)
    }
  }
}

/** The status of an arc at a time in milliseconds, by the character's local clock if it recurs. */
export const arcStatus = (
  { cancelled, starts_at, ends_at, recurrence }: Arc,
  timezone: string,
  now: number
): ArcStatus => {
  if (cancelled) return "cancelled"
  if (recurrence === "none" || starts_at === null || ends_at === null) {
    if (starts_at !== null && now < Date.parse(starts_at)) return "scheduled"
    return ends_at !== null && Date.parse(ends_at) <= now ? "expired" : "active"
  }
  if (now < Date.parse(starts_at)) return "scheduled"
  const [first, end, present] = [
    wallAt(timezone, Date.parse(starts_at)),
    wallAt(timezone, Date.parse(ends_at)),
    wallAt(timezone, now)
  ]
  // The clocks may have been set back in between.
  const length = end > first ? end - first : Math.ceil((Date.parse(ends_at) - Date.parse(starts_at)) / MINUTE_MS)
  const momentOf = (wall: number) =>
    Math.min(...momentsOf(timezone, Math.floor(wall / DAY_MINUTES), wall % DAY_MINUTES))
  // A local time can occur twice or not at all, so check the adjacent days as well.
  const isOn = [1, 0, -1].some((days) => {
    const wall = lastDay(recurrence, first, present + days * DAY_MINUTES) * DAY_MINUTES + (first % DAY_MINUTES)
    const [began, over] = [momentOf(wall), momentOf(wall + length)]
    return wall >= first && began <= now && now < (over > began ? over : began + length * MINUTE_MS)
  })
  return isOn ? "active" : "scheduled"
}

const concerns = ({ scope }: Arc, person: { readonly sessionId: string; readonly externalUserRef: string }): boolean =>
  scope === "all" ||
  ("session_id" in scope ? scope.session_id === person.sessionId : scope.external_user_ref === person.externalUserRef)

export interface ActiveArc extends Influence {
  /** The id of an arc. Null: the influence of the current beat. */
  readonly id: string | null
}

/** The influences on the character now, in this session, strongest first. */
export const activeArcs = (
  world: SessionWorld,
  person: { readonly sessionId: string; readonly externalUserRef: string },
  timezone: string,
  now: number
): ReadonlyArray<ActiveArc> => {
  const ofBeat = beatOf(world)?.beat.on_enter.arc_influence ?? null
  return [
    ...world.arcs.filter((arc) => concerns(arc, person) && arcStatus(arc, timezone, now) === "active"),
    ...(ofBeat === null ? [] : [{ ...ofBeat, id: null }])
  ].sort((a, b) => b.weight - a.weight)
}

/** The sum of all influences. */
export interface Mood {
  readonly valence: number
  readonly arousal: number
  readonly scoreBias: Readonly<Record<string, number>>
}

export const NEUTRAL_MOOD: Mood = { valence: 0, arousal: 0, scoreBias: {} }
const MAX_BIAS = 0.1

export const moodOf = (influences: ReadonlyArray<Influence>): Mood => {
  if (influences.length === 0) return NEUTRAL_MOOD
  const sum = (of: (influence: Influence) => number) =>
    influences.reduce((total, influence) => total + influence.weight * of(influence), 0)
  const keys = new Set(influences.flatMap(({ effect }) => Object.keys(effect.score_bias)))
  const biasOf = (key: string) =>
    Math.min(
      MAX_BIAS,
      Math.max(
        -MAX_BIAS,
        sum(({ effect }) => effect.score_bias[key] ?? 0)
      )
    )
  return {
    valence: sum(({ effect }) => effect.valence),
    arousal: sum(({ effect }) => effect.arousal),
    scoreBias: Object.fromEntries([...keys].map((key) => [key, biasOf(key)]))
  }
}
