import * as Effect from "effect/Effect"
import type { Turn, Usage } from "../domain/Turn.ts"
import type { EvidenceStore } from "./EvidenceStore.ts"
import { fuse } from "./fuse.ts"
import { fusedMemories } from "./fusedMemories.ts"
import { loreFor } from "./lore.ts"
import { NOT_CALLED } from "./LoreRecord.ts"
import { maskOf } from "./maskForgotten.ts"
import type { MemoryStore, Remembered } from "./MemoryStore.ts"
import type { Recall } from "./Recall.ts"
import { type QueryTerm, recallQuery } from "./recallQuery.ts"
import type { Recalled } from "./Retrieved.ts"
import { searchSaid } from "./searchSaid.ts"
import { NOTHING_SIMILAR, type Similar } from "./Similar.ts"
import { terms } from "./terms.ts"
import { topicsTold } from "./topics/topics.ts"
import type { Utterance } from "./Transcript.ts"
import { wordsMatch } from "./wordsMatch.ts"

/** Something that a turn would be given for a text. */
export interface Found {
  readonly kind: "said" | "memory" | "lore" | "evidence"
  /** Where it was said. Null if it was not said. */
  readonly cursor: number | null
  /** The id of a memory, a lore entry or a piece of evidence. Null for what was said. */
  readonly id: string | null
  /** 0 to 1. */
  readonly score: number
  readonly text: string
}

interface RecalledFor {
  /** Best first. */
  readonly found: ReadonlyArray<Found>
  /** What the search by meaning has cost. Null: there was none. */
  readonly usage: Usage | null
}

const MEMORY_WEIGHT = 0.8
/** A memory of a message that was found itself comes after everything else, with its score below all others. */
const REPEATED = 0.5
const LORE_SCORE = 0.3
const EVIDENCE_SCORE = 0.2
/** The search weighs more candidates than it returns. */
const MIN_CANDIDATES = 20

interface Ports {
  readonly recall: Recall["Service"]
  readonly similar: Similar | null
  readonly memoryStore: MemoryStore["Service"]
  readonly evidenceStore: EvidenceStore
}

type Entry = { readonly said: Recalled } | { readonly memory: Remembered }
const keyOf = (entry: Entry): string =>
  "said" in entry ? `${entry.said.cursor}` : entry.memory.cursor === null ? entry.memory.id : `${entry.memory.cursor}`

const ofSaid = ({ cursor, text }: Recalled, score: number): Found => ({ kind: "said", cursor, id: null, score, text })
const ofMemory = ({ id, cursor, text }: Remembered, score: number): Found => ({
  kind: "memory",
  cursor,
  id,
  score,
  text
})

interface Search {
  readonly last: Utterance | null
  readonly steps: number
  readonly limit: number
  readonly nowMs: number
}

const HALF = 0.5
/** The share of a search's weight that a text has. */
const shareOf = (search: ReadonlyArray<QueryTerm>, text: string): number => {
  const words = terms(text)
  const marks = topicsTold(text, words)
  const whole = search.reduce((sum, { weight }) => sum + weight, 0)
  const has = ({ term }: QueryTerm) => marks.has(term) || words.some((word) => wordsMatch(term, word))
  return search.filter(has).reduce((sum, { weight }) => sum + weight, 0) / Math.max(1, whole)
}

/**
 * What a turn would be given for a text, best first: from everything that was said, from memories, lore and evidence.
 * `last`: the last utterance of the log, which is not in
 * the index yet.
 */
export const recallFor = Effect.fnUntraced(function* (
  { recall, similar, memoryStore, evidenceStore }: Ports,
  turn: Turn,
  { last, steps, limit, nowMs }: Search
): Effect.fn.Return<RecalledFor> {
  const search = recallQuery(turn.text, [])
  if (search.length === 0) return { found: [], usage: null }
  const most = Math.max(limit, MIN_CANDIDATES)
  const [{ found }, near, known, evidence] = yield* Effect.all(
    [
      last === null
        ? Effect.succeed({ found: [] })
        : searchSaid(recall, {
            turn,
            terms: search,
            before: last.cursor + 1,
            indexTo: last.cursor - 1,
            steps,
            limit: most
          }),
      similar === null
        ? Effect.succeed(NOTHING_SIMILAR)
        : similar.search({ turn, text: turn.text, before: last?.cursor ?? 0, limit: most, memories: most }),
      memoryStore.look({ turn, terms: search, memories: most, loops: 0 }),
      evidenceStore.look({ turn, terms: search, limit: most })
    ],
    { concurrency: 4 }
  )
  const share = last === null ? 0 : shareOf(search, last.text)
  const said = last === null || share < HALF ? found : [{ ...last, score: share }, ...found]
  const mask = maskOf(known.forgotten, [], { text: "", atMs: nowMs })
  const similarSaid = mask.found(near.found).map((one) => ({ said: one }))
  const memories = mask.found(known.memories)
  const similarMemories = mask.found(near.memories)
  const entries = fuse<Entry>(
    [
      { items: mask.found(said).map((one) => ({ said: one })), weight: 1 },
      ...(similarSaid.length === 0 ? [] : [{ items: similarSaid, weight: 1 }]),
      { items: memories.map((one) => ({ memory: one })), weight: MEMORY_WEIGHT },
      ...(similarMemories.length === 0
        ? []
        : [{ items: similarMemories.map((one) => ({ memory: one })), weight: MEMORY_WEIGHT }])
    ],
    keyOf
  )
  const first = entries.map(({ item, score }) =>
    "said" in item ? ofSaid(item.said, score) : ofMemory(item.memory, score)
  )
  const listed = new Set(first.map(({ id }) => id))
  const least = Math.min(1, ...first.map(({ score }) => score))
  const repeated = fusedMemories(memories, similarMemories)
    .filter(({ id }) => !listed.has(id))
    .map((memory) => ofMemory(memory, least * REPEATED))
  const lore = loreFor(turn, [], NOT_CALLED).lore.map(({ id, content }): Found => ({
    kind: "lore",
    cursor: null,
    id,
    score: Math.min(least, LORE_SCORE) * REPEATED,
    text: content
  }))
  const sources = evidence.found.map(({ id, text }): Found => ({
    kind: "evidence",
    cursor: null,
    id,
    score: Math.min(least, EVIDENCE_SCORE) * REPEATED,
    text
  }))
  return {
    found: [...first, ...repeated, ...lore, ...sources].sort((a, b) => b.score - a.score).slice(0, limit),
    usage: near.usage
  }
})
