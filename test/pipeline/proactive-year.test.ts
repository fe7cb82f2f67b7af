import { assert, describe, it } from "vitest"
import { characterOf } from "#test/support/turns.ts"
import { type Candidate } from "#pipeline/proactive/candidates.ts"
import { DEFAULT_CONTROLS } from "#pipeline/proactive/controls.ts"
import { factsAfter, decide, eligibilityOf } from "#pipeline/proactive/decide.ts"
import type { Facts } from "#pipeline/proactive/Facts.ts"
import { readPolicy } from "#pipeline/proactive/Policy.ts"
import { NO_PREFERENCES, type OpenLoop } from "#pipeline/relational/Relationship.ts"
import { sized } from "#test/support/suite/sized.ts"

/**
 * A year of many sessions. The decisions and the times of the next checks come from the server's own code (gates,
 * candidates, prospects). Its table of due times and its counts are plain values here, people write at random, and a
 * turn takes no time. What was sent is then checked against the rules by separate arithmetic, with the time zones of
 * Intl.
 */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.parse("2026-01-01T00:00:00Z")
const END = Date.parse("2027-01-01T00:00:00Z")
const SESSIONS = sized(100, 1_000)
const SESSIONS_PER_PERSON = 2
const ZONES = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/Santiago",
  "Africa/Cairo"
]

/** The same year every time. */
const random = (() => {
  let state = 20260101
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
})()
const among = <A>(items: ReadonlyArray<A>): A => items[Math.floor(random() * items.length)] as A
const between = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1))

const DAILY_CAP_APP = SESSIONS / 4

const POLICY = readPolicy({
  quiet_hours: [
    { from: "21:30", to: "07:45" },
    { from: "12:00", to: "13:00", days: [0, 6] }
  ],
  daily_cap_per_end_user: 3,
  daily_cap_app: DAILY_CAP_APP,
  timezone: "Europe/Berlin"
})

interface Person {
  readonly timezone: string
  /** When the app blocks them, permanently. */
  readonly blockedAt: number
  readonly minor: boolean
  readonly sent: Array<number>
}
interface Session {
  facts: Facts
  readonly person: Person
  dueAt: number
  awaitsMessage: boolean
  nextWordAt: number
}
interface Sent {
  readonly session: Session
  readonly at: number
  readonly candidate: Candidate
  /** The state before it. */
  readonly before: Facts
}

const people = Array.from({ length: SESSIONS / SESSIONS_PER_PERSON }, (): Person => ({
  timezone: among(ZONES),
  blockedAt: random() < 0.1 ? START + random() * (END - START) : Infinity,
  minor: random() < 0.05,
  sent: []
}))
const rhythm = characterOf({
  slug: "ada",
  display_name: "Ada",
  life_rhythm: {
    timezone: "Europe/Berlin",
    wake: "06:30",
    sleep: "23:00",
    busy: [{ days: [1, 2, 3, 4, 5], from: "09:00", to: "10:30" }]
  }
}).life_rhythm

const loopOf = (id: string, due: number): OpenLoop => ({
  id,
  kind: among(["plan", "event_followup", "question"] as const),
  owner: "user",
  text: "The exam",
  due_at: new Date(due).toISOString(),
  priority: between(1, 5),
  status: "open",
  evidence: [],
  created_at: new Date(START).toISOString(),
  updated_at: new Date(START).toISOString()
})

const sessions = Array.from({ length: SESSIONS }, (_, n): Session => {
  const person = people[Math.floor(n / SESSIONS_PER_PERSON)] as Person
  return {
    person,
    dueAt: START,
    awaitsMessage: false,
    nextWordAt: START + random() * 10 * DAY,
    facts: {
      sessionId: `ses_${n}`,
      at: START,
      policy: POLICY,
      rhythm,
      controls: {
        ...DEFAULT_CONTROLS,
        proactive_enabled: random() < 0.9,
        proactivity_tolerance: among([0, 0.1, 0.5, 1, 1]),
        cold_initiate_min_idle_minutes: between(5, 1440),
        session_resume_min_idle_minutes: between(0, 1440),
        session_resume_max_unanswered_character_turns: between(0, 6),
        min_gap_between_initiate_minutes: between(0, 1440),
        daily_initiate_cap: between(0, 5)
      },
      preferences: {
        ...NO_PREFERENCES,
        opted_out: random() < 0.03,
        frequency: among(["less", "normal", "normal", "more"] as const),
        preferred_hours: random() < 0.2 ? [{ from: "17:00", to: "21:00" }] : []
      },
      person: { ageBand: person.minor ? "minor" : "unknown", timezone: person.timezone, blocked: false },
      unreachable: false,
      suspended: false,
      active: true,
      openTurns: 0,
      lastTurnAt: START,
      unansweredTurns: 0,
      proactiveUnanswered: false,
      lastProactiveAt: null,
      proactiveTurns: [],
      personProactiveTurns: [],
      appToday: 0,
      channels: [{ kind: "event_log", today: 0 }],
      affordable: true,
      beat: null,
      scheduled: [],
      loops: Array.from({ length: between(0, 6) }, (_, loop) =>
        loopOf(`lop_${n}_${loop}`, START + random() * (END - START))
      )
    }
  }
})

const formatters = new Map(
  ZONES.map((zone) => [
    zone,
    new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23"
    })
  ])
)
/** The local time in a time zone, by Intl. */
const wall = (zone: string, at: number) => {
  const parts = Object.fromEntries(
    (formatters.get(zone) as Intl.DateTimeFormat).formatToParts(at).map(({ type, value }) => [type, value])
  )
  return {
    day: `${parts["year"]}-${parts["month"]}-${parts["day"]}`,
    weekday: String(parts["weekday"]),
    time: `${parts["hour"]}:${parts["minute"]}`
  }
}

/** The year, minute by minute where something happens: a person writes, or a check is due. */
const live = (): ReadonlyArray<Sent> => {
  const sent: Array<Sent> = []
  let appDay = ""
  let appSent = 0
  const within = (session: Session, at: number): Facts => {
    const today = wall(POLICY.timezone, at).day
    if (today !== appDay) [appDay, appSent] = [today, 0]
    return {
      ...session.facts,
      at,
      appToday: appSent,
      channels: [{ kind: "event_log", today: appSent }],
      personProactiveTurns: session.person.sent.filter((moment) => moment > at - 4 * DAY),
      person: { ...session.facts.person, blocked: at >= session.person.blockedAt }
    }
  }
  const look = (session: Session, at: number) => {
    const facts = within(session, at)
    const decision = decide(facts, at)
    let next: { readonly nextEligibleAt: number | null; readonly awaitsMessage: boolean } = decision
    if (decision.send) {
      sent.push({ session, at, candidate: decision.candidate, before: facts })
      session.facts = { ...factsAfter(facts, decision.candidate, at), openTurns: 0 }
      session.person.sent.push(at)
      appSent++
      next = eligibilityOf({ ...session.facts, appToday: appSent }, at)
    }
    session.dueAt = next.nextEligibleAt ?? Infinity
    session.awaitsMessage = next.awaitsMessage
  }
  const hear = (session: Session, at: number) => {
    session.facts = { ...session.facts, lastTurnAt: at, unansweredTurns: 1, proactiveUnanswered: false }
    if (session.awaitsMessage) session.dueAt = at
    session.nextWordAt = at + (random() < 0.5 ? between(1, 90) * MINUTE : random() * 30 * DAY)
  }
  // Hour by hour, and in order within each hour.
  for (let hour = START; hour < END; hour += HOUR) {
    const busy = sessions.filter(({ dueAt, nextWordAt }) => dueAt < hour + HOUR || nextWordAt < hour + HOUR)
    for (;;) {
      let first: Session | undefined
      for (const session of busy)
        if (
          first === undefined ||
          Math.min(session.dueAt, session.nextWordAt) < Math.min(first.dueAt, first.nextWordAt)
        )
          first = session
      if (first === undefined || Math.min(first.dueAt, first.nextWordAt) >= hour + HOUR) break
      if (first.nextWordAt <= first.dueAt) hear(first, Math.max(hour, first.nextWordAt))
      // The check each minute is up to a minute late.
      else look(first, Math.max(hour, first.dueAt) + Math.floor(random() * MINUTE))
    }
  }
  return sent
}

const countBy = <A>(items: ReadonlyArray<A>, key: (item: A) => string): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1)
  return counts
}

describe("a year of many sessions", () => {
  it("has many messages, and none that violates a cap, a gap, quiet hours, a block or any other rule", ({
    annotate
  }) => {
    const sent = live()
    const byReason = countBy(sent, ({ candidate }) => candidate.reason)
    void annotate(`${sent.length} messages: ${JSON.stringify(Object.fromEntries(byReason))}`)
    assert.isAbove(sent.length, 5 * SESSIONS)
    for (const reason of ["cold_initiate", "session_resume", "open_loop_due", "event_followup"])
      assert.isAbove(byReason.get(reason) ?? 0, SESSIONS / 20, reason)

    for (const {
      session: { person },
      at,
      candidate: { reason },
      before
    } of sent) {
      const { controls, preferences } = before
      const what = `${before.sessionId} ${reason} at ${new Date(at).toISOString()}`
      assert.isTrue(
        controls.proactive_enabled && controls.proactivity_tolerance > 0 && controls.daily_initiate_cap > 0,
        what
      )
      assert.isTrue(!person.minor && !preferences.opted_out && at < person.blockedAt, what)
      const here = wall(person.timezone, at)
      assert.isTrue(here.time >= "07:45" && here.time < "21:30", `${what}: ${here.time}`)
      assert.isFalse(["Sat", "Sun"].includes(here.weekday) && here.time >= "12:00" && here.time < "13:00", what)
      if (preferences.preferred_hours.length > 0) assert.isTrue(here.time >= "17:00" && here.time < "21:00", what)
      const there = wall("Europe/Berlin", at)
      assert.isTrue(there.time >= "06:30" && there.time < "23:00", what)
      assert.isFalse(!["Sat", "Sun"].includes(there.weekday) && there.time >= "09:00" && there.time < "10:30", what)
      const idle = (at - before.lastTurnAt) / MINUTE
      if (reason === "cold_initiate") assert.isAtLeast(idle, controls.cold_initiate_min_idle_minutes, what)
      else if (reason === "session_resume") {
        assert.isAtLeast(idle, controls.session_resume_min_idle_minutes, what)
        assert.isBelow(before.unansweredTurns, controls.session_resume_max_unanswered_character_turns, what)
      } else assert.isAtLeast(idle, 15, what)
      const gap = controls.min_gap_between_initiate_minutes * (preferences.frequency === "less" ? 2 : 1)
      if (before.lastProactiveAt !== null) assert.isAtLeast((at - before.lastProactiveAt) / MINUTE, gap, what)
    }
    for (const [key, count] of countBy(
      sent,
      ({ session: { facts, person }, at }) =>
        `${facts.sessionId} ${facts.controls.daily_initiate_cap} ${wall(person.timezone, at).day}`
    ))
      assert.isAtMost(count, Number(key.split(" ")[1]), key)
    for (const [key, count] of countBy(
      sent,
      ({ session: { person }, at }) => `${people.indexOf(person)} ${wall(person.timezone, at).day}`
    ))
      assert.isAtMost(count, 3, key)
    for (const [day, count] of countBy(sent, ({ at }) => wall("Europe/Berlin", at).day))
      assert.isAtMost(count, DAILY_CAP_APP, day)
  })
})
