import type { Reason } from "../domain/Initiative.ts"
import type { OpenLoop, Preferences } from "../relational/Relationship.ts"
import { terms } from "../retrieval/terms.ts"
import type { Facts, Scheduled, StoryBeat } from "./Facts.ts"

/** Something that the character could write first about. */
export interface Candidate {
  readonly reason: Reason
  readonly loop: OpenLoop | null
  readonly beat?: StoryBeat
  readonly scheduled?: Scheduled
  /** Not before this moment, in milliseconds. */
  readonly from: number
  /** Not after this moment, in milliseconds; absent: no limit. */
  readonly until?: number
}

const DAY_MS = 86_400_000
/** Nobody is asked about what was due longer ago. */
const STALE_DAYS = 14

/** Whether a text mentions one of these topics. */
const mentions = (text: string, topics: ReadonlyArray<string>): boolean => {
  const words = ` ${terms(text).join(" ")} `
  return topics.some((topic) => terms(topic).length > 0 && words.includes(` ${terms(topic).join(" ")} `))
}

const welcomed = ({ loop }: Candidate, { topics_welcome }: Preferences): number =>
  loop !== null && mentions(loop.text, topics_welcome) ? 1 : 0

/**
 * What there is to write about, the most telling first: what the app has scheduled, then what was left open and has
 * come due (topics that the person welcomes before others), then the state of its story, the unanswered thread, then
 * the long silence.
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
