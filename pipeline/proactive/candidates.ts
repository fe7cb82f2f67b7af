import type { Reason } from "../domain/ProactiveBrief.ts"
import type { OpenLoop } from "../relational/Relationship.ts"
import { spaced, spacedPhrase } from "../retrieval/terms.ts"
import type { Facts, Scheduled, StoryBeat } from "./Facts.ts"
import { hasTakenLeave, telling } from "./mood.ts"

/** A reason for the character to write first. */
export interface Candidate {
  readonly reason: Reason
  readonly loop: OpenLoop | null
  readonly beat?: StoryBeat
  readonly scheduled?: Scheduled
  /** The earliest time, in milliseconds. */
  readonly from: number
  /** The latest time, in milliseconds. Absent: no limit. */
  readonly until?: number
}

const DAY_MS = 86_400_000
/** Loops that were due longer ago than this are not asked about. */
const STALE_DAYS = 14

/** Tells whether a text mentions one of these topics. */
const mentioning = (topics: ReadonlyArray<string>): ((text: string) => boolean) => {
  const phrases = topics.map(spacedPhrase).filter((phrase) => phrase !== "")
  if (phrases.length === 0) return () => false
  return (text) => {
    const words = spaced(text)
    return phrases.some((phrase) => words.includes(phrase))
  }
}

/**
 * What the character could write about, most important first: scheduled messages, then loops that are due (topics that
 * the person welcomes first), then the state of its story, the unanswered thread, and the long silence.
 */
export const candidatesOf = ({
  at,
  loops,
  beat,
  preferences,
  scheduled,
  said
}: Pick<Facts, "at" | "loops" | "beat" | "preferences" | "scheduled" | "said">): ReadonlyArray<Candidate> => {
  const isAvoided = mentioning(preferences.topics_avoid)
  const isWelcome = mentioning(preferences.topics_welcome)
  const isTold = telling(said)
  const due = loops.flatMap((loop) => {
    const from = loop.due_at === null ? Number.NaN : Date.parse(loop.due_at)
    if (
      loop.status !== "open" ||
      Number.isNaN(from) ||
      from < at - STALE_DAYS * DAY_MS ||
      isTold(loop.text, { dueAt: from, notedAt: Date.parse(loop.created_at) }) ||
      isAvoided(loop.text)
    )
      return []
    return [{ loop, from, welcome: isWelcome(loop.text) ? 1 : 0 }]
  })
  return [
    ...scheduled
      .filter(({ until }) => until >= at)
      .map((message): Candidate => ({
        reason: "scheduled_message",
        loop: null,
        scheduled: message,
        from: message.at,
        until: message.until
      })),
    ...due
      .sort((a, b) => b.welcome - a.welcome || b.loop.priority - a.loop.priority || a.from - b.from)
      .map(({ loop, from }): Candidate => ({
        reason: loop.kind === "event_followup" ? "event_followup" : "open_loop_due",
        loop,
        from
      })),
    ...(beat === null || beat.at < at - STALE_DAYS * DAY_MS || isAvoided(beat.summary)
      ? []
      : [{ reason: "storyline_beat" as const, loop: null, beat, from: beat.at }]),
    ...(hasTakenLeave(said) ? [] : [{ reason: "session_resume" as const, loop: null, from: 0 }]),
    { reason: "cold_initiate", loop: null, from: 0 }
  ]
}
