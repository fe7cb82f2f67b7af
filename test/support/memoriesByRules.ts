import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Turn } from "#pipeline/domain/Turn.ts"
import { decide } from "#pipeline/relational/decide.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import { apply } from "#pipeline/relational/Patch.ts"
import { NEW_RELATIONSHIP, type Relationship } from "#pipeline/relational/Relationship.ts"
import { extractByRules } from "#pipeline/relational/rules/extractByRules.ts"
import { MemoryStore, NOTHING_KNOWN, type Remembered } from "#pipeline/retrieval/MemoryStore.ts"
import type { QueryTerm } from "#pipeline/retrieval/recallQuery.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { topicsTold } from "#pipeline/retrieval/topics/topics.ts"
import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import { wordsMatch } from "#pipeline/retrieval/wordsMatch.ts"

interface Ended {
  readonly turn: Turn
  readonly history: ReadonlyArray<Utterance>
  /** Where the person's message is. */
  readonly cursor: number
  readonly reply: Utterance
}

const weightOf = (text: string, search: ReadonlyArray<QueryTerm>): number => {
  const words = terms(text)
  const marks = topicsTold(text, words)
  return search
    .filter(({ term }) => marks.has(term) || words.some((word) => wordsMatch(term, word)))
    .reduce((sum, { weight }) => sum + weight, 0)
}

/** Memories of one session without a database: extracted by rule, and found by their words and topics. */
export const memoriesByRules = () => {
  let known: Relationship = NEW_RELATIONSHIP
  const learn = ({ turn, history, cursor, reply }: Ended): void => {
    const message: Utterance = { role: "user", text: turn.text, cursor, at: reply.at }
    const ended: EndedTurn = {
      sessionId: turn.sessionId,
      turnIndex: turn.turnIndex,
      character: turn.character,
      endUser: turn.endUser,
      outcome: "replied",
      history,
      message,
      reply,
      at: reply.at
    }
    const patch = decide(known, ended, extractByRules({ turn: ended, known }), [])
    known = apply(known, patch, reply.at.toISOString(), turn.turnIndex + 1)
  }
  const layer = Layer.succeed(MemoryStore, {
    look: ({ terms: search, memories: most }) =>
      Effect.sync(() => ({
        ...NOTHING_KNOWN,
        memories: [...known.memories.values()]
          .filter(({ status }) => status === "active")
          .map(({ id, kind, text, about, evidence, created_at }): Remembered => ({
            id,
            kind,
            text,
            about,
            at: new Date(created_at),
            cursor: evidence.at(-1)?.cursor ?? null,
            score: weightOf(text, search)
          }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => b.score - a.score)
          .slice(0, most)
      }))
  })
  return { learn, layer }
}
