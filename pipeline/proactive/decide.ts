import { type Candidate, candidatesOf } from "./candidates.ts"
import type { Facts } from "./Facts.ts"
import { GATE_NAMES, type GateName, blockedBy } from "./gates.ts"

export interface Eligibility {
  /** When the gates next let something pass, as far as is known now. Null: not without a change. */
  readonly nextEligibleAt: number | null
  /** Whether a message from the person could make it earlier. */
  readonly awaitsMessage: boolean
}

export type Decision = { readonly candidate: Candidate } & Eligibility &
  ({ readonly send: true } | { readonly send: false; readonly skippedBy: GateName })

/** How many gates in a row may delay a candidate before it counts as never eligible. */
const MAX_STEPS = 300

/** When a candidate next passes every gate. */
const whenAllowed = (facts: Facts, candidate: Candidate, from: number): Eligibility => {
  let at = Math.max(from, candidate.from)
  for (let step = 0; step < MAX_STEPS; step++) {
    if (at > (candidate.until ?? Infinity)) return { nextEligibleAt: null, awaitsMessage: false }
    const blocked = blockedBy(facts, candidate, at)
    if (blocked === null) return { nextEligibleAt: at, awaitsMessage: false }
    if (typeof blocked.until === "string") return { nextEligibleAt: null, awaitsMessage: blocked.until === "word" }
    at = Math.max(blocked.until, at + 1)
  }
  return { nextEligibleAt: null, awaitsMessage: false }
}

const earliest = (moments: ReadonlyArray<number | null>): number | null =>
  moments.reduce((first, moment) => (moment === null || (first !== null && first <= moment) ? first : moment), null)

interface Prospect {
  readonly candidate: Candidate
  readonly eligibility: Eligibility
}

const prospectsOf = (facts: Facts, now: number): ReadonlyArray<Prospect> =>
  candidatesOf(facts).map((candidate) => ({ candidate, eligibility: whenAllowed(facts, candidate, now) }))

const anyOf = (prospects: ReadonlyArray<Prospect>): Eligibility => ({
  nextEligibleAt: earliest(prospects.map(({ eligibility }) => eligibility.nextEligibleAt)),
  awaitsMessage: prospects.some(({ eligibility }) => eligibility.awaitsMessage)
})

/** When the character may next write first, for any candidate. */
export const eligibilityOf = (facts: Facts, now: number): Eligibility => anyOf(prospectsOf(facts, now))

/**
 * Whether the character writes first at this moment. The first candidate that passes every gate is sent. If none does,
 * the decision reports the candidate that may pass soonest, or else the one that got furthest.
 */
export const decide = (facts: Facts, now: number): Decision => {
  const prospects = prospectsOf(facts, now)
  const any = anyOf(prospects)
  let told: { readonly candidate: Candidate; readonly gate: GateName; readonly opens: number } | undefined
  for (const { candidate, eligibility } of prospects) {
    if (candidate.from > now) continue
    const blocked = blockedBy(facts, candidate, now)
    if (blocked === null) return { send: true, candidate, ...any, nextEligibleAt: now }
    const opens = eligibility.nextEligibleAt ?? Infinity
    if (
      told === undefined ||
      opens < told.opens ||
      (opens === told.opens && GATE_NAMES.indexOf(blocked.gate) > GATE_NAMES.indexOf(told.gate))
    )
      told = { candidate, gate: blocked.gate, opens }
  }
  if (told === undefined) throw new Error("there is always the silence to break")
  return { send: false, candidate: told.candidate, skippedBy: told.gate, ...any }
}

/** The scheduled messages that are due but blocked, each with the first gate that blocks it. */
export const blockedMessages = (facts: Facts, now: number): ReadonlyMap<string, GateName> =>
  new Map(
    candidatesOf(facts).flatMap((candidate): ReadonlyArray<readonly [string, GateName]> => {
      const blocked =
        candidate.scheduled === undefined || candidate.from > now ? null : blockedBy(facts, candidate, now)
      return candidate.scheduled === undefined || blocked === null ? [] : [[candidate.scheduled.id, blocked.gate]]
    })
  )

/** The facts after a turn has begun for this candidate, for the next decision. */
export const factsAfter = (facts: Facts, { loop, beat, scheduled }: Candidate, now: number): Facts => ({
  ...facts,
  at: now,
  openTurns: 1,
  lastTurnAt: now,
  unansweredTurns: facts.unansweredTurns + 1,
  proactiveUnanswered: true,
  lastProactiveAt: now,
  proactiveTurns: [...facts.proactiveTurns, now],
  personProactiveTurns: [...facts.personProactiveTurns, now],
  appToday: facts.appToday === null ? null : facts.appToday + 1,
  channels: facts.channels.map(({ kind, today }) => ({ kind, today: today + 1 })),
  loops: facts.loops.filter(({ id }) => id !== loop?.id),
  beat: beat === undefined ? facts.beat : null,
  scheduled: facts.scheduled.filter(({ id }) => id !== scheduled?.id)
})
