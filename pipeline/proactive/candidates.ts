import type { Reason } from "../domain/ProactiveBrief.ts"
import type { OpenLoop, Preferences } from "../relational/Relationship.ts"
import { terms } from "../retrieval/terms.ts"
import type { Facts, Scheduled, StoryBeat } from "./Facts.ts"

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

/** Whether a text mentions one of these topics. */
const mentions = (text: string, topics: ReadonlyArray<string>): boolean => {
  const words = ` ${terms(text).join(" ")} `
  return topics.some((topic) => terms(topic).length > 0 && words.includes(` ${terms(topic).join(" ")} `))
}

const welcomed = ({ loop }: Candidate, { topics_welcome }: Preferences): number =>
  loop !== null && mentions(loop.text, topics_welcome) ? 1 : 0

/**
 * What the character could write about, most important first: scheduled messages, then loops that are due (topics that
 * the person welcomes first), then the state of its story, the unanswered thread, and the long silence.
 */
export const candidatesOf = ({ at, loops, beat, preferences, scheduled }: Facts): ReadonlyArray<Candidate> => [
  ...scheduled
    .filter(({ until }) => until >= at)
    .map((message): Candidate => ({
      reason: "scheduled_message",
      loop: null,
      scheduled: message,
      from: message.at,
      until: message.until
    })),
  ...loops
    .flatMap((loop): ReadonlyArray<Candidate> => {
      const from = loop.due_at === null ? Number.NaN : Date.parse(loop.due_at)
      if (
        loop.status !== "open" ||
        Number.isNaN(from) ||
        from < at - STALE_DAYS * DAY_MS ||
        mentions(loop.text, preferences.topics_avoid)
      )
        return []
      return [{ reason: loop.kind === "event_followup" ? "event_followup" : "open_loop_due", loop, from }]
    })
    .sort(
      (a, b) =>
        welcomed(b, preferences) - welcomed(a, preferences) ||
        (b.loop?.priority ?? 0) - (a.loop?.priority ?? 0) ||
        a.from - b.from
    ),
  ...(beat === null || beat.at < at - STALE_DAYS * DAY_MS || mentions(beat.summary, preferences.topics_avoid)
    ? []
    : [{ reason: "storyline_beat" as const, loop: null, beat, from: beat.at }]),
  { reason: "session_resume", loop: null, from: 0 },
  { reason: "cold_initiate", loop: null, from: 0 }
]
