import type { Reason } from "../domain/ProactiveBrief.ts"
import { quotedLines, quotedOwnWords, wordsOfOthers } from "../domain/referred.ts"
import type { Turn } from "../domain/Turn.ts"
import type { Grounding } from "../grounding/ground.ts"
import type { Knowledge } from "../knowledge/knowledgeOf.ts"
import type { Retrieval } from "../retrieval/retrieve.ts"
import { memoryId } from "../retrieval/Transcript.ts"
import { needsGentleness } from "../proactive/mood.ts"
import type { GateContext } from "./gates.ts"

/** What is due is asked about, and the app decides about what it has planned. */
const IS_ASKED: ReadonlySet<Reason> = new Set(["open_loop_due", "event_followup", "scheduled_message"])

/** A disclosure may answer a question that is up to this many user messages old. */
const QUESTION_MESSAGES = 3

/** Joins texts that share an id, since a message may have been recorded in parts. */
const together = (texts: ReadonlyArray<readonly [id: string, text: string]>): ReadonlyMap<string, string> =>
  new Map(
    Array.from(
      Map.groupBy(texts, ([id]) => id),
      ([id, of]) => [id, [...new Set(of.map(([, text]) => text))].join("\n")]
    )
  )

/** What a reply to this turn is checked against. */
export const gateContextFor = (
  turn: Turn,
  { history, retrieved }: Retrieval,
  grounding: Grounding,
  knowledge: Knowledge,
  serviceText: string,
  gentle = false
): GateContext => {
  const wordsOf = (wanted: "user" | "character") =>
    [...history, ...retrieved.recalled]
      .filter(({ role }) => role === wanted)
      .map((said) => [memoryId(said), said.text] as const)
  const saidBy = (wanted: "user" | "character") => history.filter(({ role }) => role === wanted).map(({ text }) => text)
  return {
    character: turn.character,
    endUser: turn.endUser,
    userTexts: [
      ...(turn.proactive === undefined ? [[turn.text, ...quotedOwnWords(turn)].join("\n")] : []),
      ...saidBy("user").toReversed()
    ].slice(0, QUESTION_MESSAGES),
    othersWords: wordsOfOthers(turn),
    quotedLines: quotedLines(turn),
    unanswered: history
      .slice(history.findLastIndex(({ role }) => role === "character") + 1)
      .map(({ text }) => text)
      .slice(-QUESTION_MESSAGES),
    characterTexts: saidBy("character"),
    memories: together([
      ...wordsOf("user"),
      ...retrieved.memories.flatMap(({ id, cursor, text }) =>
        [id, ...(cursor === null ? [] : [memoryId({ cursor })])].map((id) => [id, text] as const)
      )
    ]),
    ownWords: together(wordsOf("character")),
    evidence: retrieved.evidence.map(({ text }) => text),
    serviceText,
    mustNotReveal: [...knowledge.mustNotReveal, ...retrieved.world.untold],
    unspoken: retrieved.world.unspoken,
    delicate: turn.proactive !== undefined || grounding.intent === "farewell",
    gentle: gentle || needsGentleness(turn.proactive?.mood),
    proactive:
      turn.proactive === undefined
        ? null
        : {
            avoid: turn.proactive.avoid,
            asksNothing: needsGentleness(turn.proactive.mood) && !IS_ASKED.has(turn.proactive.reason)
          }
  }
}
