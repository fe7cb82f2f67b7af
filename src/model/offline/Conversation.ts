import { seedOf } from "#pipeline/domain/seed.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { type Act, actOf } from "./acts.ts"
import type { Fact } from "./Fact.ts"
import { factsIn } from "./facts.ts"
import { type Repertoire, repertoireOf } from "./repertoire.ts"

/** The message that is being answered has no place on the log that could be cited. */
export const NOW = Number.MAX_SAFE_INTEGER

/** A turn as the engine sees it. */
export interface Conversation {
  readonly text: string
  readonly act: Act
  /** What the person's messages before it did, oldest first. */
  readonly actsBefore: ReadonlyArray<Act>
  readonly facts: ReadonlyArray<Fact>
  /** What the character has said, oldest first. */
  readonly said: ReadonlyArray<string>
  /** Whether something sad was told just now, so that this is no time for other things. */
  readonly tender: boolean
  readonly repertoire: Repertoire
  readonly seed: number
}

const AGAIN: ReadonlySet<Act> = new Set(["joke", "story", "advice"])
const AGAIN_WITHIN = 3
const GRIEF_LASTS = 4
const SADNESS_LASTS = 1
const EARLIER_ACTS = 6

/** "Another one" asks for what was asked for before it. */
const resolved = (act: Act, before: ReadonlyArray<Act>): Act =>
  act === "more" ? before.slice(-AGAIN_WITHIN).findLast((earlier) => AGAIN.has(earlier)) ?? "elaborate" : act

export const conversationOf = ({ turn, history, retrieved }: WriteRequest): Conversation => {
  const known = new Set(history.map(({ cursor }) => cursor))
  const before: ReadonlyArray<Utterance> = [...retrieved.recalled.filter(({ cursor }) => !known.has(cursor)), ...history].sort((a, b) => a.cursor - b.cursor)
  const actsBefore = history.filter(({ role }) => role === "user").slice(-EARLIER_ACTS).map(({ text }) => actOf(text))
  return {
    text: turn.text,
    act: resolved(actOf(turn.text), actsBefore),
    actsBefore,
    facts: factsIn([...before, { role: "user", text: turn.text, cursor: NOW, at: new Date(0) }]),
    said: history.filter(({ role }) => role === "character").map(({ text }) => text),
    tender: actsBefore.slice(-GRIEF_LASTS).includes("grief") || actsBefore.slice(-SADNESS_LASTS).includes("bad_news"),
    repertoire: repertoireOf(turn.character),
    seed: seedOf(turn)
  }
}
