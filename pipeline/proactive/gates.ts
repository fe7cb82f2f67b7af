import { seedOf } from "../domain/seed.ts"
import { occupation } from "../grounding/rhythm.ts"
import * as DateTime from "effect/DateTime"
import type { Candidate } from "./candidates.ts"
import { type Facts, timezoneOf } from "./Facts.ts"
import { type Local, localAt, MIDNIGHT, minuteOf, momentsOf, nextTime } from "./localTime.ts"
import { isAbout, type Mood, moodUntil } from "./mood.ts"
import { EVERY_DAY, type Hours } from "./Policy.ts"

/**
 * How long a gate stays shut: until a time, until the person writes ("word"), or until a setting changes ("change").
 */
export type BlockedUntil = number | "word" | "change"
type Gate = (facts: Facts, candidate: Candidate, now: number) => BlockedUntil | null

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Minutes of silence before the character asks about a loop that is due. */
const LOOP_MIN_IDLE_MINUTES = 15
/** How many days ahead to look for one whose draw allows writing. If there is none, readiness counts as 0. */
const FORESEEN_DAYS = 366
/**
 * A person who wants fewer messages gets a longer gap and a lower readiness. A wish for more never shortens the gap.
 */
const LESS_GAP = 2
const READINESS = { less: 0.5, normal: 1, more: 1.5 } as const

const within = ({ weekday, minute }: Local, { from, to, days }: Hours): boolean => {
  const yesterday = (weekday + 6) % 7
  const [begun, over] = [minuteOf(from) <= minute, minuteOf(to) <= minute]
  if (from < to) return days.includes(weekday) && begun && !over
  return (days.includes(weekday) && begun) || (days.includes(yesterday) && !over)
}

const minIdleMinutes = ({ controls }: Facts, { reason }: Candidate): number => {
  switch (reason) {
    case "cold_initiate":
      return controls.cold_initiate_min_idle_minutes
    case "session_resume":
      return controls.session_resume_min_idle_minutes
    default:
      return LOOP_MIN_IDLE_MINUTES
  }
}

const isEnabled = ({ controls }: Facts, { reason }: Candidate): boolean =>
  reason === "cold_initiate"
    ? controls.cold_initiate_enabled
    : reason === "session_resume"
      ? controls.session_resume_enabled
      : true

/**
 * A person who has not answered gets no new cold message. Due loops may be asked about as often as a thread is resumed.
 */
const isUnanswered = ({ controls, proactiveUnanswered, unansweredTurns }: Facts, { reason }: Candidate): boolean => {
  const atMost = unansweredTurns >= controls.session_resume_max_unanswered_character_turns
  if (reason === "session_resume") return unansweredTurns === 0 || atMost
  return proactiveUnanswered && (reason === "cold_initiate" || atMost)
}

/** Shut until the end of the person's day once `most` messages were sent on it. */
const cappedUntil = (facts: Facts, moments: ReadonlyArray<number>, most: number, now: number): BlockedUntil | null => {
  const timezone = timezoneOf(facts)
  const { day } = localAt(timezone, now)
  return moments.filter((moment) => localAt(timezone, moment).day === day).length >= most
    ? nextTime(timezone, now, MIDNIGHT)
    : null
}

const isAppDay = ({ at, policy: { timezone } }: Facts, now: number): boolean =>
  localAt(timezone, at).day === localAt(timezone, now).day

const channelBlocked: Gate = ({ at, channels, policy, ...facts }, _, now) => {
  const { default: otherwise, channels: rules } = policy.channel_policy
  if (channels.some(({ kind }) => !(rules[kind]?.allow ?? otherwise === "allow"))) return "change"
  const full =
    channels.some(({ kind, today }) => today >= (rules[kind]?.daily_cap ?? Infinity)) &&
    isAppDay({ ...facts, at, channels, policy }, now)
  return full ? nextTime(policy.timezone, now, MIDNIGHT) : null
}

const characterBlocked: Gate = ({ rhythm }, _, now) => {
  const doing = occupation(rhythm, DateTime.makeUnsafe(now))?.doing ?? "free"
  if (doing === "free") return null
  return nextTime(rhythm.timezone ?? "UTC", now, [
    ...(rhythm.wake === undefined ? [] : [rhythm.wake]),
    ...rhythm.busy.map(({ to }) => to),
    ...MIDNIGHT
  ])
}

/** How many days after the last words about it a mood keeps the character from bringing up something else. */
const LOOPS_WAIT_DAYS = { crisis: 3, grief: 3, conflict: 7, low: 0 } as const
const RESUMES_WAIT_DAYS = { crisis: 1, grief: 1, conflict: 3, low: 0 } as const

/**
 * Until when a mood keeps a candidate waiting. What the app has planned passes, and so does what is about the mood
 * itself, such as a funeral.
 */
const respectedUntil = (mood: Mood, { reason, loop }: Candidate): number => {
  switch (reason) {
    case "scheduled_message":
      return 0
    case "session_resume":
      return mood.at + RESUMES_WAIT_DAYS[mood.kind] * DAY_MS
    case "open_loop_due":
    case "event_followup":
      return loop === null || isAbout(mood, loop.text) ? 0 : mood.at + LOOPS_WAIT_DAYS[mood.kind] * DAY_MS
    default:
      return mood.kind === "low" ? mood.at + DAY_MS : moodUntil(mood)
  }
}

/** The same session always gets the same draw on the same day of the person. */
const dailyDraw = (sessionId: string, day: number): number =>
  seedOf({ sessionId: `${sessionId} initiative ${day}`, turnIndex: 0 }) / 2 ** 32

/** In evaluation order (resources.md 12). The first gate that is shut is the reported reason. */
const GATES = {
  app_suspended: ({ suspended }) => (suspended ? "change" : null),
  policy_disabled: ({ policy }) => (policy.enabled ? null : "change"),
  end_user_blocked: ({ person }) => (person.blocked ? "change" : null),
  chat_unreachable: ({ unreachable }) => (unreachable ? "word" : null),
  known_minor: ({ person }) => (person.ageBand === "minor" ? "change" : null),
  session_exited: ({ active }) => (active ? null : "change"),
  opted_out: ({ preferences }) => (preferences.opted_out ? "change" : null),
  proactive_disabled: ({ controls }) => (controls.proactive_enabled ? null : "change"),
  tolerance_zero: ({ controls }) => (controls.proactivity_tolerance > 0 ? null : "change"),
  reason_disabled: (facts, candidate) => (isEnabled(facts, candidate) ? null : "change"),
  reason_not_allowed: ({ policy }, { reason }) => (policy.allowed_reasons.includes(reason) ? null : "change"),
  quiet_hours: (facts, _, now) => {
    const { quiet_hours: hours } = facts.policy
    const timezone = timezoneOf(facts)
    const here = localAt(timezone, now)
    return hours.some((quiet) => within(here, quiet))
      ? nextTime(timezone, now, [...hours.map(({ to }) => to), ...MIDNIGHT])
      : null
  },
  preferred_hours: (facts, _, now) => {
    const { preferred_hours: hours } = facts.preferences
    const timezone = timezoneOf(facts)
    const here = localAt(timezone, now)
    return hours.length === 0 || hours.some((preferred) => within(here, { ...preferred, days: EVERY_DAY }))
      ? null
      : nextTime(
          timezone,
          now,
          hours.map(({ from }) => from)
        )
  },
  character_unavailable: characterBlocked,
  crisis: ({ crisisAt }, { reason }, now) =>
    crisisAt !== null && reason !== "scheduled_message" && now < crisisAt + DAY_MS ? crisisAt + DAY_MS : null,
  mood: ({ mood }, candidate, now) => {
    const until = mood === null ? 0 : respectedUntil(mood, candidate)
    return now < until ? until : null
  },
  // A message now would use up the gap, the daily limit or the person's patience that the loop needs.
  loop_due_soon: ({ loops }, { reason }, now) => {
    if (reason !== "session_resume" && reason !== "cold_initiate") return null
    const next = loops
      .filter(({ status, due_at }) => status === "open" && due_at !== null)
      .map(({ due_at }) => Date.parse(due_at ?? ""))
      .filter((due) => due > now && due <= now + DAY_MS)
    return next.length === 0 ? null : Math.min(...next)
  },
  // An open turn does not count as silence. Nobody knows how long it will take, so check again later.
  min_idle: (facts, candidate, now) => {
    const idle = minIdleMinutes(facts, candidate) * MINUTE_MS
    const enough = facts.openTurns > 0 ? facts.at + Math.max(idle, MINUTE_MS) : facts.lastTurnAt + idle
    return now < enough ? enough : null
  },
  min_gap: ({ controls, preferences, lastProactiveAt }, _, now) => {
    if (lastProactiveAt === null) return null
    const over =
      lastProactiveAt +
      controls.min_gap_between_initiate_minutes * (preferences.frequency === "less" ? LESS_GAP : 1) * MINUTE_MS
    return now < over ? over : null
  },
  max_unanswered: (facts, candidate) => (isUnanswered(facts, candidate) ? "word" : null),
  session_daily_cap: (facts, _, now) =>
    facts.controls.daily_initiate_cap === 0
      ? "change"
      : cappedUntil(facts, facts.proactiveTurns, facts.controls.daily_initiate_cap, now),
  end_user_daily_cap: (facts, _, now) =>
    facts.policy.daily_cap_per_end_user === 0
      ? "change"
      : cappedUntil(facts, facts.personProactiveTurns, facts.policy.daily_cap_per_end_user, now),
  app_daily_cap: (facts, _, now) => {
    const {
      policy: { daily_cap_app: most, timezone },
      appToday
    } = facts
    if (most === 0) return "change"
    return most !== null && (appToday ?? 0) >= most && isAppDay(facts, now) ? nextTime(timezone, now, MIDNIGHT) : null
  },
  channel_policy: channelBlocked,
  cost_cap: ({ affordable, at }, _, now) =>
    !affordable && localAt("UTC", at).day === localAt("UTC", now).day ? nextTime("UTC", now, MIDNIGHT) : null,
  tolerance_lottery: (facts, _, now) => {
    const timezone = timezoneOf(facts)
    const readiness = facts.controls.proactivity_tolerance * READINESS[facts.preferences.frequency]
    const { day } = localAt(timezone, now)
    if (dailyDraw(facts.sessionId, day) < readiness) return null
    for (let next = day + 1; next <= day + FORESEEN_DAYS; next++) {
      if (dailyDraw(facts.sessionId, next) < readiness) return momentsOf(timezone, next, 0)[0] ?? "change"
    }
    return "change"
  }
} as const satisfies Record<string, Gate>

export type GateName = keyof typeof GATES
// Object keys keep their insertion order.
const IN_ORDER = Object.entries(GATES) as ReadonlyArray<readonly [GateName, Gate]>
export const GATE_NAMES: ReadonlyArray<GateName> = IN_ORDER.map(([name]) => name)

/** The first gate that is shut at this time, and for how long. Null: the character may write. */
export const blockedBy = (
  facts: Facts,
  candidate: Candidate,
  now: number
): { readonly gate: GateName; readonly until: BlockedUntil } | null => {
  for (const [gate, isBlocked] of IN_ORDER) {
    const until = isBlocked(facts, candidate, now)
    if (until !== null) return { gate, until }
  }
  return null
}
