import { seedOf } from "#pipeline/domain/seed.ts"
import type { WriteRequest } from "#pipeline/generation/Writer.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { type Act, actOf } from "./acts.ts"
import type { Fact } from "./Fact.ts"
import { factsIn } from "./facts.ts"
import { isQuestion } from "./questions.ts"
import { canSay, type Repertoire, repertoireOf } from "./repertoire.ts"

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
  /** Authored facts of the world that bear on the message. */
  readonly lore: ReadonlyArray<string>
  readonly seed: number
}

const AGAIN: ReadonlySet<Act> = new Set(["joke", "story", "advice"])
const AGAIN_WITHIN = 3
const GRIEF_LASTS = 4
const SADNESS_LASTS = 1
/** Rules read no further than this: what a message does, it does at its beginning. */
const READ_CHARS = 600
/** "Hello! Who are you?" asks who one is. */
const BEFORE_A_QUESTION = /^\W*(?:(?:hi+|hey+|hello+|hiya|yo|good (?:morning|evening|afternoon)|cool|ok(?:ay)?|nice|and|so|but|well|oh|wow|haha|lol|thanks)(?: there| again)?[\s,!.;:]+)+(?=\S+ \S)/i
const EARLIER_ACTS = 6
const MOST_LORE_CHARS = 300

/** "Another one" asks for what was asked for before it. */
const resolved = (act: Act, before: ReadonlyArray<Act>): Act =>
  act === "more" ? before.slice(-AGAIN_WITHIN).findLast((earlier) => AGAIN.has(earlier)) ?? "elaborate" : act

const questionOf = (text: string): string => {
  const rest = text.replace(BEFORE_A_QUESTION, "")
  return isQuestion(rest) ? rest : text
}

export const conversationOf = ({ turn, history, retrieved, safety }: WriteRequest): Conversation => {
  const known = new Set(history.map(({ cursor }) => cursor))
  const before: ReadonlyArray<Utterance> = [...retrieved.recalled.filter(({ cursor }) => !known.has(cursor)), ...history].sort((a, b) => a.cursor - b.cursor)
  const actsBefore = history.filter(({ role }) => role === "user").slice(-EARLIER_ACTS).map(({ text }) => actOf(text.slice(0, READ_CHARS)))
  const text = questionOf(turn.text.slice(0, READ_CHARS))
  return {
    text,
    // Whatever it is that must be refused, it is refused as any other thing that is not the character's to give.
    act: safety.action === "refuse_in_voice" ? "probe" : resolved(actOf(text), actsBefore),
    actsBefore,
    facts: factsIn([...before, { role: "user", text: turn.text, cursor: NOW, at: new Date(0) }]),
    said: history.filter(({ role }) => role === "character").map(({ text }) => text),
    tender: safety.action === "soften" || actsBefore.slice(-GRIEF_LASTS).includes("grief") || actsBefore.slice(-SADNESS_LASTS).includes("bad_news"),
    repertoire: repertoireOf(turn.character),
    lore: retrieved.lore.filter((text) => text.length <= MOST_LORE_CHARS && canSay(turn.character)(text)),
    seed: seedOf(turn)
  }
}
