import { assert, describe, it } from "vitest"
import * as fc from "fast-check"
import { characterOf } from "#test/support/conversation/turns.ts"
import { type Candidate, candidatesOf } from "#pipeline/proactive/candidates.ts"
import { DEFAULT_CONTROLS } from "#pipeline/proactive/controls.ts"
import { factsAfter, decide, eligibilityOf } from "#pipeline/proactive/decide.ts"
import type { Facts } from "#pipeline/proactive/Facts.ts"
import { GATE_NAMES, type GateName, blockedBy } from "#pipeline/proactive/gates.ts"
import { nextTime } from "#pipeline/proactive/localTime.ts"
import { readPolicy } from "#pipeline/proactive/Policy.ts"
import { NO_PREFERENCES, type OpenLoop } from "#pipeline/relational/Relationship.ts"

const at = (iso: string): number => Date.parse(iso)
const iso = (moment: number | null): string | null => (moment === null ? null : new Date(moment).toISOString())
/** A Wednesday. */
const NOON = at("2026-06-10T12:00:00Z")
const HOUR = 3_600_000

/** Facts that open every gate. */
const factsOf = (given: Partial<Facts> = {}): Facts => ({
  sessionId: "ses_1",
  at: NOON,
  policy: readPolicy({}),
  controls: { ...DEFAULT_CONTROLS, proactive_enabled: true, proactivity_tolerance: 1 },
  rhythm: characterOf({ slug: "ada", display_name: "Ada" }).life_rhythm,
  preferences: NO_PREFERENCES,
  person: { ageBand: "adult", timezone: null, blocked: false },
  unreachable: false,
  suspended: false,
  active: true,
  openTurns: 0,
  lastTurnAt: NOON - 24 * HOUR,
  unansweredTurns: 1,
  proactiveUnanswered: false,
  lastProactiveAt: null,
  proactiveTurns: [],
  personProactiveTurns: [],
  appToday: null,
  channels: [{ kind: "event_log", today: 0 }],
  affordable: true,
  crisisAt: null,
  said: [],
  mood: null,
  loops: [],
  scheduled: [],
  beat: null,
  ...given
})
const controls = (given: Partial<Facts["controls"]>): Partial<Facts> => ({
  controls: { ...factsOf().controls, ...given }
})
const policy = (given: object): Partial<Facts> => ({ policy: readPolicy(given) })
const preferences = (given: Partial<Facts["preferences"]>): Partial<Facts> => ({
  preferences: { ...NO_PREFERENCES, ...given }
})
const cold: Candidate = { reason: "cold_initiate", loop: null, from: 0 }
const resume: Candidate = { reason: "session_resume", loop: null, from: 0 }
const due: Candidate = { reason: "open_loop_due", loop: null, from: 0 }

const asleep = characterOf({
  slug: "ada",
  display_name: "Ada",
  life_rhythm: { timezone: "Asia/Tokyo", wake: "07:00", sleep: "20:00" }
}).life_rhythm
const busy = characterOf({
  slug: "ada",
  display_name: "Ada",
  life_rhythm: { timezone: "Europe/Berlin", busy: [{ days: [3], from: "13:00", to: "17:30", label: "the shop" }] }
}).life_rhythm

const soon: OpenLoop = {
  id: "lop_soon",
  kind: "event_followup",
  owner: "user",
  text: "The exam",
  due_at: "2026-06-10T18:00:00Z",
  priority: 3,
  status: "open",
  evidence: [],
  created_at: "2026-06-09T12:00:00Z",
  updated_at: "2026-06-09T12:00:00Z"
}

/** For each gate: what closes it, and until when. */
const SHUT: ReadonlyArray<
  readonly [gate: GateName, what: string, given: Partial<Facts>, until: string, candidate?: Candidate]
> = [
  ["app_suspended", "the operator has suspended the app", { suspended: true }, "change"],
  ["policy_disabled", "the app wants nobody written to", policy({ enabled: false }), "change"],
  [
    "end_user_blocked",
    "the app has blocked the person",
    { person: { ageBand: "adult", timezone: null, blocked: true } },
    "change"
  ],
  ["chat_unreachable", "the person has blocked the bot", { unreachable: true }, "word"],
  ["known_minor", "the person is a minor", { person: { ageBand: "minor", timezone: null, blocked: false } }, "change"],
  ["session_exited", "the session has ended", { active: false }, "change"],
  ["opted_out", "the person wants none of it", preferences({ opted_out: true }), "change"],
  ["proactive_disabled", "the session is not on", controls({ proactive_enabled: false }), "change"],
  ["tolerance_zero", "the tolerance is 0", controls({ proactivity_tolerance: 0 }), "change"],
  ["reason_disabled", "a cold initiate is off", controls({ cold_initiate_enabled: false }), "change"],
  ["reason_disabled", "a resume is off", controls({ session_resume_enabled: false }), "change", resume],
  [
    "reason_not_allowed",
    "the policy does not allow the reason",
    policy({ allowed_reasons: ["session_resume"] }),
    "change"
  ],
  [
    "quiet_hours",
    "it is past midnight where the person is",
    {
      ...policy({}),
      person: { ageBand: "adult", timezone: "Asia/Tokyo", blocked: false },
      at: at("2026-06-10T15:30:00Z")
    },
    "2026-06-10T23:00:00.000Z"
  ],
  [
    "quiet_hours",
    "quiet hours of yesterday last into today",
    { ...policy({ quiet_hours: [{ from: "21:00", to: "13:00", days: [2] }] }) },
    "2026-06-10T13:00:00.000Z"
  ],
  [
    "quiet_hours",
    "the app's clock counts and not the person's",
    { ...policy({ timezone: "Asia/Tokyo", timezone_source: "app", quiet_hours: [{ from: "20:00", to: "22:00" }] }) },
    "2026-06-10T13:00:00.000Z"
  ],
  [
    "quiet_hours",
    "the night in which clocks are put forward is an hour shorter",
    { person: { ageBand: "adult", timezone: "Europe/Berlin", blocked: false }, at: at("2026-03-28T22:30:00Z") },
    "2026-03-29T06:00:00.000Z"
  ],
  [
    "quiet_hours",
    "and the one in which they are put back an hour longer",
    { person: { ageBand: "adult", timezone: "Europe/Berlin", blocked: false }, at: at("2026-10-24T21:30:00Z") },
    "2026-10-25T07:00:00.000Z"
  ],
  [
    "preferred_hours",
    "the person would rather hear in the evening",
    preferences({ preferred_hours: [{ from: "18:00", to: "21:00" }], timezone: "Europe/Berlin" }),
    "2026-06-10T16:00:00.000Z"
  ],
  ["character_unavailable", "the character sleeps", { rhythm: asleep }, "2026-06-10T22:00:00.000Z"],
  ["character_unavailable", "the character is at work", { rhythm: busy }, "2026-06-10T15:30:00.000Z"],
  ["crisis", "the person was in a crisis an hour ago", { crisisAt: NOON - HOUR }, "2026-06-11T11:00:00.000Z"],
  [
    "mood",
    "the person is grieving",
    { mood: { kind: "grief", at: NOON - HOUR, words: ["mum"] } },
    "2026-06-24T11:00:00.000Z"
  ],
  [
    "mood",
    "the person is grieving, and the thread was left an hour ago",
    { mood: { kind: "grief", at: NOON - HOUR, words: ["mum"] } },
    "2026-06-11T11:00:00.000Z",
    resume
  ],
  [
    "mood",
    "the person is grieving, and something else is due",
    { mood: { kind: "grief", at: NOON - HOUR, words: ["mum"] } },
    "2026-06-13T11:00:00.000Z",
    { reason: "event_followup", loop: soon, from: 0 }
  ],
  ["loop_due_soon", "something comes due within a day", { loops: [soon] }, "2026-06-10T18:00:00.000Z", resume],
  ["min_idle", "it was quiet for too short a time", { lastTurnAt: NOON - HOUR }, iso(NOON + 11 * HOUR) ?? ""],
  ["min_idle", "the silence was too short to resume", { lastTurnAt: NOON - HOUR }, iso(NOON + HOUR) ?? "", resume],
  ["min_idle", "a message is being answered", { openTurns: 1 }, iso(NOON + 12 * HOUR) ?? ""],
  [
    "min_idle",
    "a conversation is in progress when something becomes due",
    { lastTurnAt: NOON - 60_000 },
    "2026-06-10T12:14:00.000Z",
    due
  ],
  ["min_gap", "the last proactive message is too recent", { lastProactiveAt: NOON - HOUR }, iso(NOON + 3 * HOUR) ?? ""],
  [
    "min_gap",
    "twice as long for a person who wants fewer messages",
    { ...preferences({ frequency: "less" }), lastProactiveAt: NOON - HOUR },
    iso(NOON + 7 * HOUR) ?? ""
  ],
  ["max_unanswered", "a thread was resumed as often as may be", { unansweredTurns: 2 }, "word", resume],
  ["max_unanswered", "there is nothing to resume", { unansweredTurns: 0 }, "word", resume],
  ["max_unanswered", "a proactive message was not answered", { proactiveUnanswered: true }, "word"],
  [
    "session_daily_cap",
    "the session has had its share of the day",
    { proactiveTurns: [at("2026-06-10T01:00:00Z"), at("2026-06-10T06:00:00Z")] },
    "2026-06-11T00:00:00.000Z"
  ],
  [
    "session_daily_cap",
    "the day ends where the person is",
    {
      person: { ageBand: "adult", timezone: "America/New_York", blocked: false },
      at: at("2026-06-10T14:00:00Z"),
      proactiveTurns: [at("2026-06-10T04:30:00Z"), at("2026-06-10T06:00:00Z")]
    },
    "2026-06-11T04:00:00.000Z"
  ],
  ["session_daily_cap", "it may have none at all", controls({ daily_initiate_cap: 0 }), "change"],
  [
    "end_user_daily_cap",
    "other characters wrote to the person",
    { personProactiveTurns: [NOON - HOUR, NOON - 2 * HOUR, NOON - 3 * HOUR] },
    "2026-06-11T00:00:00.000Z"
  ],
  [
    "app_daily_cap",
    "the app has had its share",
    { ...policy({ daily_cap_app: 100 }), appToday: 100 },
    "2026-06-11T00:00:00.000Z"
  ],
  [
    "channel_policy",
    "one of its channels is denied",
    {
      ...policy({ channel_policy: { channels: { webhook: { allow: false } } } }),
      channels: [
        { kind: "telegram_byo", today: 0 },
        { kind: "webhook", today: 0 }
      ]
    },
    "change"
  ],
  ["channel_policy", "channels without a rule are denied", policy({ channel_policy: { default: "deny" } }), "change"],
  [
    "channel_policy",
    "a channel has had its share",
    {
      ...policy({ channel_policy: { channels: { telegram_byo: { daily_cap: 5 } } } }),
      channels: [{ kind: "telegram_byo", today: 5 }]
    },
    "2026-06-11T00:00:00.000Z"
  ],
  ["cost_cap", "there is no money for it", { affordable: false }, "2026-06-11T00:00:00.000Z"]
]

describe("a gate", () => {
  it.each(SHUT.map(([gate, what, given, until, candidate = cold]) => [gate, what, given, until, candidate] as const))(
    "%s is closed if %s",
    (gate, _, given, until, candidate) => {
      const facts = factsOf({ ...given, ...(given.at !== undefined && { lastTurnAt: given.at - 24 * HOUR }) })
      const shut = blockedBy(facts, candidate, facts.at)
      assert.deepStrictEqual(
        { gate: shut?.gate, until: typeof shut?.until === "number" ? nextOpen(facts, candidate, gate) : shut?.until },
        { gate, until }
      )
    }
  )

  /** When this gate opens, as it reports itself, evaluated again as often as necessary. */
  const nextOpen = (facts: Facts, candidate: Candidate, gate: GateName): string | null => {
    let moment = facts.at
    for (let asked = 0; asked < 10; asked++) {
      const shut = blockedBy(facts, candidate, moment)
      if (shut?.gate !== gate || typeof shut.until === "string") return iso(moment)
      moment = shut.until
    }
    return null
  }

  it("tolerance_lottery is open on the share of days that the tolerance sets, all day, and names the next one", () => {
    const facts = factsOf({
      ...policy({ quiet_hours: [] }),
      ...controls({ proactivity_tolerance: 0.3 }),
      sessionId: "ses_7"
    })
    const days = Array.from({ length: 1000 }, (_, day) => NOON + day * 24 * HOUR)
    const open = days.filter((day) => blockedBy(facts, cold, day) === null)
    assert.isTrue(open.length > 240 && open.length < 360, String(open.length))
    for (const day of open) for (const hours of [-12, -5, 11]) assert.isNull(blockedBy(facts, cold, day + hours * HOUR))
    for (const day of days.slice(0, 900).filter((day) => !open.includes(day))) {
      assert.deepStrictEqual(blockedBy(facts, cold, day), {
        gate: "tolerance_lottery",
        until: (open.find((next) => next > day) ?? 0) - 12 * HOUR
      })
    }
    const chance = (frequency: "less" | "more") =>
      days.filter((day) => blockedBy({ ...facts, preferences: { ...NO_PREFERENCES, frequency } }, cold, day) === null)
        .length
    assert.isBelow(chance("less"), open.length)
    assert.isAbove(chance("more"), open.length)
  })

  it("is the first in the order of the policy if several block", () => {
    assert.strictEqual(blockedBy(factsOf(), cold, NOON), null)
    const worst = factsOf({
      ...policy({
        enabled: false,
        allowed_reasons: [],
        quiet_hours: [{ from: "00:00", to: "00:00" }],
        daily_cap_per_end_user: 0,
        daily_cap_app: 0,
        channel_policy: { default: "deny" }
      }),
      ...preferences({ opted_out: true, preferred_hours: [{ from: "01:00", to: "02:00" }] }),
      ...controls({
        proactive_enabled: false,
        proactivity_tolerance: 0,
        cold_initiate_enabled: false,
        daily_initiate_cap: 0
      }),
      person: { ageBand: "minor", timezone: null, blocked: true },
      unreachable: true,
      suspended: true,
      active: false,
      rhythm: busy,
      lastTurnAt: NOON,
      lastProactiveAt: NOON,
      proactiveUnanswered: true,
      affordable: false,
      crisisAt: NOON - HOUR,
      mood: { kind: "grief", at: NOON - HOUR, words: [] },
      loops: [soon]
    })
    /** What opens each gate in turn, to reveal the next. */
    const opened: ReadonlyArray<(facts: Facts) => Facts> = [
      (facts) => ({ ...facts, suspended: false }),
      (facts) => ({ ...facts, policy: { ...facts.policy, enabled: true } }),
      (facts) => ({ ...facts, person: { ...facts.person, blocked: false } }),
      (facts) => ({ ...facts, unreachable: false }),
      (facts) => ({ ...facts, person: { ...facts.person, ageBand: "unknown" } }),
      (facts) => ({ ...facts, active: true }),
      (facts) => ({ ...facts, preferences: { ...facts.preferences, opted_out: false } }),
      (facts) => ({ ...facts, controls: { ...facts.controls, proactive_enabled: true } }),
      (facts) => ({ ...facts, controls: { ...facts.controls, proactivity_tolerance: 0.000001 } }),
      (facts) => ({ ...facts, controls: { ...facts.controls, cold_initiate_enabled: true } }),
      (facts) => ({ ...facts, policy: { ...facts.policy, allowed_reasons: ["cold_initiate"] } }),
      (facts) => ({ ...facts, policy: { ...facts.policy, quiet_hours: [] } }),
      (facts) => ({ ...facts, preferences: NO_PREFERENCES }),
      (facts) => ({ ...facts, rhythm: factsOf().rhythm }),
      (facts) => ({ ...facts, crisisAt: null }),
      (facts) => ({ ...facts, mood: null }),
      (facts) => ({ ...facts, loops: [] }),
      (facts) => ({ ...facts, lastTurnAt: 0 }),
      (facts) => ({ ...facts, lastProactiveAt: null }),
      (facts) => ({ ...facts, proactiveUnanswered: false }),
      (facts) => ({ ...facts, controls: { ...facts.controls, daily_initiate_cap: 1 } }),
      (facts) => ({ ...facts, policy: { ...facts.policy, daily_cap_per_end_user: 1 } }),
      (facts) => ({ ...facts, policy: { ...facts.policy, daily_cap_app: null } }),
      (facts) => ({ ...facts, policy: { ...facts.policy, channel_policy: readPolicy({}).channel_policy } }),
      (facts) => ({ ...facts, affordable: true })
    ]
    let facts = worst
    const seen = [blockedBy(facts, cold, NOON)?.gate]
    for (const open of opened) seen.push(blockedBy((facts = open(facts)), cold, NOON)?.gate)
    assert.deepStrictEqual(seen, [...GATE_NAMES])
  })
})

describe("local time", () => {
  it("has a midnight on days that start at one o'clock", () => {
    assert.strictEqual(iso(nextTime("Africa/Cairo", at("2026-04-23T12:00:00Z"), ["00:00"])), "2026-04-23T22:00:00.000Z")
  })

  it("has a repeated time twice, and a skipped time an hour later", () => {
    assert.strictEqual(
      iso(nextTime("Europe/Berlin", at("2026-10-25T00:00:00Z"), ["02:30"])),
      "2026-10-25T00:30:00.000Z"
    )
    assert.strictEqual(
      iso(nextTime("Europe/Berlin", at("2026-10-25T00:31:00Z"), ["02:30"])),
      "2026-10-25T01:30:00.000Z"
    )
    assert.strictEqual(
      iso(nextTime("Europe/Berlin", at("2026-03-28T23:30:00Z"), ["02:30"])),
      "2026-03-29T01:30:00.000Z"
    )
  })
})

const loopOf = (given: Partial<OpenLoop>): OpenLoop => ({
  id: "lop_1",
  kind: "plan",
  owner: "user",
  text: "The move to Lisbon",
  due_at: iso(NOON - HOUR),
  priority: 3,
  status: "open",
  evidence: [],
  created_at: "2026-06-01T00:00:00.000Z",
  updated_at: "2026-06-01T00:00:00.000Z",
  ...given
})

describe("the subject of a proactive message", () => {
  it("is first of all something due, the most urgent first", () => {
    const loops = [
      loopOf({ id: "lop_1" }),
      loopOf({ id: "lop_2", kind: "event_followup", priority: 5 }),
      loopOf({ id: "lop_3", due_at: iso(NOON + HOUR) }),
      loopOf({ id: "lop_4", status: "surfaced" }),
      loopOf({ id: "lop_5", due_at: "2026-05-01T00:00:00.000Z" })
    ]
    assert.deepStrictEqual(
      candidatesOf(factsOf({ loops })).map(({ reason, loop }) => `${reason} ${loop?.id ?? ""}`.trim()),
      ["event_followup lop_2", "open_loop_due lop_1", "open_loop_due lop_3", "session_resume", "cold_initiate"]
    )
    const decision = decide(factsOf({ loops, lastTurnAt: NOON - HOUR }), NOON)
    assert.isTrue(decision.send)
    assert.strictEqual(decision.candidate.loop?.id, "lop_2")
  })

  it("is never a topic that the person does not want", () => {
    assert.isEmpty(
      candidatesOf(factsOf({ loops: [loopOf({})], ...preferences({ topics_avoid: ["lisbon"] }) })).filter(
        ({ loop }) => loop !== null
      )
    )
  })

  it("is a welcome topic before a more urgent one", () => {
    const loops = [
      loopOf({ id: "lop_1", priority: 5 }),
      loopOf({ id: "lop_2", text: "The sailing course", priority: 1 })
    ]
    const first = (given: Partial<Facts>) => candidatesOf(factsOf({ loops, ...given }))[0]?.loop?.id
    assert.deepStrictEqual([first({}), first(preferences({ topics_welcome: ["sailing"] }))], ["lop_1", "lop_2"])
  })

  it("is the new beat of a story, once, while it is recent and not a topic that the person does not want", () => {
    const beat = { step: 2, summary: "The lamp has failed.", at: NOON - HOUR }
    const facts = factsOf({ beat, lastTurnAt: NOON - HOUR })
    const reasons = (given: Partial<Facts>) => candidatesOf(factsOf({ beat, ...given })).map(({ reason }) => reason)
    assert.deepStrictEqual(reasons({}), ["storyline_beat", "session_resume", "cold_initiate"])
    assert.notInclude(reasons({ beat: { ...beat, at: NOON - 15 * 24 * HOUR } }), "storyline_beat")
    assert.notInclude(reasons(preferences({ topics_avoid: ["the lamp"] })), "storyline_beat")
    const decision = decide(facts, NOON)
    assert.isTrue(decision.send)
    assert.strictEqual(decision.candidate.reason, "storyline_beat")
    assert.isNull(factsAfter(facts, decision.candidate, NOON).beat)
    assert.notStrictEqual(
      decide(factsOf({ ...facts, ...policy({ allowed_reasons: ["cold_initiate"] }) }), NOON).candidate.reason,
      "storyline_beat"
    )
  })

  it("is used once: then nothing more until the person has written, and the gap counts from it", () => {
    const facts = factsOf({ loops: [loopOf({})] })
    const decision = decide(facts, NOON)
    assert.strictEqual(decision.candidate.reason, "open_loop_due")
    const next = factsAfter(facts, decision.candidate, NOON)
    assert.isEmpty(next.loops)
    assert.isFalse(decide(next, NOON).send)
    assert.deepStrictEqual(eligibilityOf(next, NOON), { nextEligibleAt: null, awaitsMessage: true })
  })

  it("becomes eligible exactly at the reported time", () => {
    const facts = factsOf({
      lastTurnAt: NOON - HOUR,
      unansweredTurns: 1,
      lastProactiveAt: NOON - HOUR,
      person: { ageBand: "adult", timezone: "Asia/Tokyo", blocked: false }
    })
    const { nextEligibleAt } = eligibilityOf(facts, NOON)
    assert.isNotNull(nextEligibleAt)
    assert.isFalse(decide(facts, nextEligibleAt - 1).send)
    assert.isTrue(decide(facts, nextEligibleAt).send)
  })

  it("waits exactly as long as reported for a message that is being answered", () => {
    const facts = factsOf({
      openTurns: 1,
      unansweredTurns: 1,
      ...controls({ session_resume_min_idle_minutes: 0, min_gap_between_initiate_minutes: 0 })
    })
    assert.strictEqual(eligibilityOf(facts, NOON).nextEligibleAt, NOON + 60_000)
    assert.isFalse(decide(facts, NOON + 59_999).send)
  })
})

const clock = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`)
const zone = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia"
)
const moment = fc.integer({ min: NOON - 400 * 24 * HOUR, max: NOON })
const anyFacts: fc.Arbitrary<Facts> = fc
  .record({
    policy: fc
      .record({
        enabled: fc.boolean(),
        quiet_hours: fc.array(
          fc.record({ from: clock, to: clock, days: fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { minLength: 1 }) }),
          { maxLength: 3 }
        ),
        timezone: zone,
        timezone_source: fc.constantFrom("end_user", "app"),
        daily_cap_per_end_user: fc.integer({ min: 0, max: 50 })
      })
      .map(readPolicy),
    controls: fc.record({
      proactive_enabled: fc.boolean(),
      proactivity_tolerance: fc.double({ min: 0, max: 1, noNaN: true }),
      cold_initiate_enabled: fc.boolean(),
      session_resume_enabled: fc.boolean(),
      cold_initiate_min_idle_minutes: fc.integer({ min: 5, max: 1440 }),
      session_resume_min_idle_minutes: fc.integer({ min: 0, max: 1440 }),
      session_resume_max_unanswered_character_turns: fc.integer({ min: 0, max: 20 }),
      min_gap_between_initiate_minutes: fc.integer({ min: 0, max: 1440 }),
      daily_initiate_cap: fc.integer({ min: 0, max: 50 })
    }),
    preferences: fc
      .record({
        opted_out: fc.boolean(),
        preferred_hours: fc.array(fc.record({ from: clock, to: clock }), { maxLength: 2 }),
        timezone: fc.option(zone),
        frequency: fc.constantFrom("less" as const, "normal" as const, "more" as const)
      })
      .map((given) => Object.assign({}, NO_PREFERENCES, given)),
    person: fc.record({
      ageBand: fc.constantFrom("adult" as const, "unknown" as const, "minor" as const),
      timezone: fc.option(zone),
      blocked: fc.boolean()
    }),
    lastTurnAt: moment,
    unansweredTurns: fc.integer({ min: 0, max: 5 }),
    proactiveUnanswered: fc.boolean(),
    lastProactiveAt: fc.option(moment),
    openTurns: fc.integer({ min: 0, max: 1 }),
    proactiveTurns: fc.array(moment, { maxLength: 5 }),
    sessionId: fc.string(),
    loops: fc.array(
      moment.map((due) => loopOf({ due_at: iso(due) })),
      { maxLength: 2 }
    )
  })
  .map((given) => factsOf(given))

describe("a tolerance of 0", () => {
  it("blocks everything: nothing is ever written, whatever the policy, the other controls and the history", () => {
    fc.assert(
      fc.property(anyFacts, fc.integer({ min: 0, max: 400 * 24 * HOUR }), (facts, ahead) => {
        const off = { ...facts, controls: { ...facts.controls, proactivity_tolerance: 0 } }
        assert.isFalse(decide(off, NOON + ahead).send)
        assert.strictEqual(eligibilityOf(off, NOON).nextEligibleAt, null)
      }),
      { numRuns: 500 }
    )
  })

  it("blocks nothing if it is any higher: the reported eligible time is then correct", () => {
    let eligible = 0
    const wanted = anyFacts.map((facts): Facts =>
      Object.assign({}, facts, {
        policy: { ...facts.policy, enabled: true },
        person: { ...facts.person, blocked: false, ageBand: "adult" },
        preferences: { ...facts.preferences, opted_out: false },
        controls: {
          ...facts.controls,
          proactive_enabled: true,
          cold_initiate_enabled: true,
          proactivity_tolerance: Math.max(0.05, facts.controls.proactivity_tolerance)
        },
        proactiveUnanswered: false
      })
    )
    fc.assert(
      fc.property(wanted, (facts) => {
        const { nextEligibleAt } = eligibilityOf(facts, NOON)
        if (nextEligibleAt === null) return
        eligible++
        assert.isTrue(decide(facts, nextEligibleAt).send)
        if (nextEligibleAt > NOON) assert.isFalse(decide(facts, nextEligibleAt - 1).send)
      }),
      { numRuns: 200 }
    )
    assert.isAbove(eligible, 20)
  })
})
