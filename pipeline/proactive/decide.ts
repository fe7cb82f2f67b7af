import { type Candidate, candidatesOf } from "./candidates.ts"
import type { Facts } from "./Facts.ts"
import { GATE_NAMES, type GateName, shutBy } from "./gates.ts"

export interface Prospect {
  /** When the gates next let something pass, as far as is known now. Null: not without a change. */
  readonly nextEligibleAt: number | null
  /** Whether a message from the person could make it earlier. */
  readonly awaitsWord: boolean
}

export type Decision = { readonly candidate: Candidate } & Prospect &
  ({ readonly send: true } | { readonly send: false; readonly skippedBy: GateName })

/** How many gates in a row may delay a candidate before it counts as never eligible. */
const MOST_STEPS = 300

/** When a candidate next passes every gate. */
const whenOpen = (facts: Facts, candidate: Candidate, from: number): Prospect => {
  let at = Math.max(from, candidate.from)
  for (let step = 0; step < MOST_STEPS; step++) {
    if (at > (candidate.until ?? Infinity)) return { nextEligibleAt: null, awaitsWord: false }
    const shut = shutBy(facts, candidate, at)
    if (shut === null) return { nextEligibleAt: at, awaitsWord: false }
    if (typeof shut.until === "string") return { nextEligibleAt: null, awaitsWord: shut.until === "word" }
    at = Math.max(shut.until, at + 1)
  }
  return { nextEligibleAt: null, awaitsWord: false }
}

const earliest = (moments: ReadonlyArray<number | null>): number | null =>
  moments.reduce((first, moment) => (moment === null || (first !== null && first <= moment) ? first : moment), null)

/** When the character may next write first, for any candidate. */
export const prospectOf = (facts: Facts, now: number): Prospect => {
  const all = candidatesOf(facts).map((candidate) => whenOpen(facts, candidate, now))
  return {
    nextEligibleAt: earliest(all.map(({ nextEligibleAt }) => nextEligibleAt)),
    awaitsWord: all.some(({ awaitsWord }) => awaitsWord)
  }
}

/**
 * Whether the character writes first at this moment. The first candidate that passes every gate is sent. If none does,
 * the decision reports the candidate that may pass soonest, or else the one that got furthest.
 */
export const decide = (facts: Facts, now: number): Decision => {
  const due = candidatesOf(facts).filter(({ from }) => from <= now)
  const prospect = prospectOf(facts, now)
  let told: { readonly candidate: Candidate; readonly gate: GateName; readonly opens: number } | undefined
  for (const candidate of due) {
    const shut = shutBy(facts, candidate, now)
    if (shut === null) return { send: true, candidate, ...prospect, nextEligibleAt: now }
    const opens = whenOpen(facts, candidate, now).nextEligibleAt ?? Infinity
    if (
      told === undefined ||
      opens < told.opens ||
      (opens === told.opens && GATE_NAMES.indexOf(shut.gate) > GATE_NAMES.indexOf(told.gate))
    )
      told = { candidate, gate: shut.gate, opens }
  }
  if (told === undefined) throw new Error("there is always the silence to break")
  return { send: false, candidate: told.candidate, skippedBy: told.gate, ...prospect }
}

/** The scheduled messages that are due but blocked, each with the first gate that blocks it. */
export const heldBack = (facts: Facts, now: number): ReadonlyMap<string, GateName> =>
  new Map(
    candidatesOf(facts).flatMap((candidate): ReadonlyArray<readonly [string, GateName]> => {
      const shut = candidate.scheduled === undefined || candidate.from > now ? null : shutBy(facts, candidate, now)
      return candidate.scheduled === undefined || shut === null ? [] : [[candidate.scheduled.id, shut.gate]]
    })
  )

/** The facts after a turn has begun for this candidate, for the next decision. */
export const afterwards = (facts: Facts, { loop, beat, scheduled }: Candidate, now: number): Facts => ({
  ...facts,
  at: now,
  openTurns: 1,
  lastTurnAt: now,
  unansweredTurns: facts.unansweredTurns + 1,
  initiativeUnanswered: true,
  lastInitiativeAt: now,
  initiatives: [...facts.initiatives, now],
  personInitiatives: [...facts.personInitiatives, now],
  appToday: facts.appToday === null ? null : facts.appToday + 1,
  channels: facts.channels.map(({ kind, today }) => ({ kind, today: today + 1 })),
  loops: facts.loops.filter(({ id }) => id !== loop?.id),
  beat: beat === undefined ? facts.beat : null,
  scheduled: facts.scheduled.filter(({ id }) => id !== scheduled?.id)
})
