import * as Duration from "effect/Duration"
import { type Attempt, type Delivery, type Message, OUTCOME_NAME } from "./Channel.ts"
import type { LaneEvent, LaneLease, LaneStep } from "./Lanes.ts"
import { nextDelay } from "./retryAfter.ts"

/** The delivery plan of a lane, without side effects: its stops, what to try at each, and where to go next. */

/**
 * One part of an event on a lane's way. `first`: what the lease's failures and unknowns were counted for. `message`:
 * what is sent of it; null: nothing, the channel shows nothing of the event.
 */
export interface Stop {
  readonly event: LaneEvent
  readonly part: number
  readonly last: boolean
  readonly first: boolean
  readonly message: { readonly content: unknown } | null
}

/** The result of a stop. */
export type StopResult = Omit<LaneStep, "lease" | "event" | "part" | "last" | "next">

/** The stops of the event at this index of the lease, which is these messages for the channel. */
export const stopsOf = (
  lease: LaneLease,
  event: LaneEvent,
  index: number,
  contents: ReadonlyArray<unknown>
): ReadonlyArray<Stop> => {
  const all = [...contents.keys()].slice(index === 0 ? lease.part : 0)
  const left = all.filter((part) => !event.sent.includes(part))
  const wanted = left.length === 0 ? all : left
  if (wanted.length === 0) return [{ event, part: 0, last: true, first: false, message: null }]
  return wanted.map((part, n): Stop => ({
    event,
    part,
    last: n === wanted.length - 1,
    first: n === 0 && (index === 0 || event.redo),
    message: { content: contents[part] }
  }))
}

export const deliveryOf = (lease: LaneLease, event: LaneEvent): Delivery => ({
  appId: lease.appId,
  sessionId: lease.sessionId,
  channelId: lease.channelId,
  channelVersion: lease.channelVersion,
  cursor: event.cursor,
  eventId: event.id,
  type: event.type,
  event: event.text
})

/** The message of a stop, and what the lease knows of earlier tries at it. */
export const tryAt = (lease: LaneLease, { event, part, first }: Stop, content: unknown) => {
  const interrupted = lease.interrupted?.cursor === event.cursor && lease.interrupted.part === part
  const unknowns = interrupted || (first && lease.interrupted === null) ? lease.unknowns : 0
  return {
    message: { ...deliveryOf(lease, event), part, unknowns, content } satisfies Message<unknown>,
    /** An earlier lease was lost while this was being sent. */
    interrupted,
    failures: first ? lease.failures : 0,
    early: first && !event.redo ? lease.early : null
  }
}

/**
 * How old an event may be for a wait that its receiver asks for not to be counted. So a receiver that is busy for hours
 * does not use up the schedule, and one that asks for ever comes to its end.
 */
const ASKED_WAITS_UNCOUNTED = Duration.days(1)

/** The wait that an overloaded receiver asks for, if it is not counted as a failed try. */
const uncountedWait = (event: LaneEvent, attempt: Attempt, step: Duration.Duration, now: number) =>
  attempt._tag === "NotSent" &&
  attempt.throttle &&
  attempt.retryAfter !== null &&
  Duration.isGreaterThanOrEqualTo(attempt.retryAfter, step) &&
  now - event.createdAt < Duration.toMillis(ASKED_WAITS_UNCOUNTED)
    ? attempt.retryAfter
    : null

/**
 * Where a lane goes after a try. `failures` counts earlier failed tries; `early`: this try came before its time, with
 * so much of the wait left. `skip`: one of unknown fate is passed over. `waits`: as the channel has them for this
 * delivery.
 */
export const moveAfter = (
  waits: ReadonlyArray<Duration.Duration>,
  event: LaneEvent,
  attempt: Attempt,
  { failures, early }: Pick<LaneLease, "failures" | "early">,
  skip: boolean,
  { random, now }: { readonly random: number; readonly now: number }
): Pick<LaneStep, "outcome" | "move"> => {
  const outcome = OUTCOME_NAME[attempt._tag]
  const step = waits[failures]
  if (attempt._tag === "Later") return { outcome, move: { retryAfter: attempt.after, failures } }
  if (attempt._tag === "Sent" || attempt._tag === "Rejected" || skip) return { outcome, move: "pass" }
  // A redelivery is tried once.
  if (event.redo) return { outcome, move: "pass" }
  if (attempt._tag === "Parked") return { outcome, move: "park" }
  // The channel ends here. The event keeps its position in case the channel is resumed.
  if (attempt._tag === "Gone") return { outcome, move: { retryAfter: waits[0] ?? Duration.minutes(1), failures } }
  if (early !== null) return { outcome, move: { retryAfter: early, failures } }
  if (step === undefined) return { outcome: "expired", move: "pass" }
  const asked = uncountedWait(event, attempt, step, now)
  if (asked !== null) return { outcome, move: { retryAfter: asked, failures } }
  return {
    outcome,
    move: {
      retryAfter: nextDelay(step, attempt._tag === "NotSent" ? attempt.retryAfter : null, random),
      failures: failures + 1
    }
  }
}

/** A stop at which nothing is sent. */
export const unsent = (
  now: number,
  move: LaneStep["move"],
  { outcome, errorCode }: Pick<LaneStep, "outcome" | "errorCode"> = { outcome: null, errorCode: null }
): StopResult => ({
  outcome,
  move,
  reflectsHealth: false,
  statusCode: null,
  errorCode,
  answer: null,
  request: null,
  startedAt: new Date(now),
  latency: null,
  throttle: null
})

/** The event that the lane continues with, unless it is released: the same one until its last part is done. */
export const nextEvent = (
  lease: LaneLease,
  index: number,
  { event, last }: Stop,
  { move }: StopResult
): LaneEvent | null => (move === "pass" ? (last ? (lease.events[index + 1] ?? null) : event) : null)
