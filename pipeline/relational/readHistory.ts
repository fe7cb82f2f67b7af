import type { Character } from "../domain/Character.ts"
import type { EndUser } from "../domain/Turn.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { decideMemories } from "./decideMemories.ts"
import { NOTHING_EXTRACTED } from "./Extraction.ts"
import type { EndedTurn } from "./Extractor.ts"
import { forgetAlongWith } from "./forget.ts"
import { apply, EMPTY_PATCH, type Patch } from "./Patch.ts"
import type { Relationship } from "./Relationship.ts"
import { factsIn } from "./rules/facts.ts"
import { memoriesIn } from "./rules/memories.ts"
import { summaryByRules } from "./summary.ts"

export interface HistoryPart {
  readonly sessionId: string
  readonly character: Character
  readonly endUser: EndUser
  /** What was said just before, for pronouns and short answers. */
  readonly before: ReadonlyArray<Utterance>
  /** What to read, oldest first. */
  readonly said: ReadonlyArray<Utterance>
}

/**
 * The memories of a conversation that was held elsewhere, by rules alone: a model would cost as much as thousands of
 * turns. Scores, feelings and open loops stay as they are, because they are about the present.
 */
export const readHistory = (
  known: Relationship,
  { sessionId, character, endUser, before, said }: HistoryPart
): Patch => {
  const facts = Map.groupBy(factsIn([...before, ...said]), ({ cursor }) => cursor)
  let now = known
  const changed = new Set<string>()
  for (const message of said) {
    if (message.role !== "user") continue
    const active = [...now.memories.values()].filter(({ status }) => status === "active")
    const extraction = { ...NOTHING_EXTRACTED, ...memoriesIn(message, facts.get(message.cursor) ?? [], active) }
    if (extraction.memories.length + extraction.invalidate.length === 0) continue
    const turn: EndedTurn = {
      sessionId,
      turnIndex: 0,
      character,
      endUser,
      outcome: "replied",
      history: [],
      message,
      reply: null,
      at: message.at
    }
    const at = message.at.toISOString()
    // No turn has a negative version, so that the ids are those of no other memory.
    const decided = decideMemories(now, turn, extraction, -message.cursor)
    const gone = decided.flatMap(({ id, status }) => {
      const memory = now.memories.get(id)
      return status === "forgotten" && memory !== undefined ? [memory] : []
    })
    now = apply(now, { ...EMPTY_PATCH, memories: decided }, at, null)
    const along = gone.length === 0 ? [] : forgetAlongWith(now, gone, at).memories
    now = apply(now, { ...EMPTY_PATCH, memories: along }, at, null)
    for (const { id } of [...decided, ...along]) changed.add(id)
  }
  if (changed.size === 0) return EMPTY_PATCH
  return {
    ...EMPTY_PATCH,
    memories: [...now.memories.values()].filter(({ id }) => changed.has(id)),
    bearing: { summary: summaryByRules(now.memories.values(), now.loops.values()) }
  }
}
