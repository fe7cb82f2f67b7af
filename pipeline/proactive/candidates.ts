import type { Reason } from "../domain/Initiative.ts"
import type { OpenLoop } from "../relational/Relationship.ts"
import { terms } from "../retrieval/terms.ts"
import type { Facts, StoryBeat } from "./Facts.ts"

/** Something that the character could write first about. */
export interface Candidate {
  readonly reason: Reason
  readonly loop: OpenLoop | null
  readonly beat?: StoryBeat
  /** Not before this moment, in milliseconds. */
  readonly from: number
}

const DAY_MS = 86_400_000
/** Nobody is asked about what was due longer ago. */
const STALE_DAYS = 14

const avoids = (text: string, topics: ReadonlyArray<string>): boolean => {
  const words = ` ${terms(text).join(" ")} `
  return topics.some((topic) => terms(topic).length > 0 && words.includes(` ${terms(topic).join(" ")} `))
}

/** What there is to write about, the most telling first: what was left open and has come due, then where its story stands, the unanswered thread, then the long silence. */
export const candidatesOf = ({ at, loops, beat, preferences }: Facts): ReadonlyArray<Candidate> => [
  ...loops.flatMap((loop): ReadonlyArray<Candidate> => {
    const from = loop.due_at === null ? Number.NaN : Date.parse(loop.due_at)
    if (loop.status !== "open" || Number.isNaN(from) || from < at - STALE_DAYS * DAY_MS || avoids(loop.text, preferences.topics_avoid)) return []
    return [{ reason: loop.kind === "event_followup" ? "event_followup" : "open_loop_due", loop, from }]
  }).sort((a, b) => (b.loop?.priority ?? 0) - (a.loop?.priority ?? 0) || a.from - b.from),
  ...beat === null || beat.at < at - STALE_DAYS * DAY_MS || avoids(beat.summary, preferences.topics_avoid) ? [] : [{ reason: "storyline_beat" as const, loop: null, beat, from: beat.at }],
  { reason: "session_resume", loop: null, from: 0 },
  { reason: "cold_initiate", loop: null, from: 0 }
]
