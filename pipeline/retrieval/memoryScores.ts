import { recency } from "./recency.ts"
import { WEIGHTS } from "./weights.ts"

const K1 = 1.2
const B = 0.75
const IMPORTANCE_WEIGHT = 0.15
/** Bonus for pinned memories. */
const PINNED = 0.1
const MAX_IMPORTANT = 10

export interface ScoredMemory {
  /** Its words as stems, each once. */
  readonly lexemes: ReadonlyArray<string>
  /** 1 to 10. */
  readonly importance: number
  readonly pinned: boolean
  /** When it was learned, in milliseconds since 1970. */
  readonly atMs: number
}

/** Each component from 0 to 1. `total` is their weighted sum. */
export interface MemoryScore {
  readonly total: number
  /** How much of the search it matches, relative to the memory that matches most. */
  readonly lexical: number
  readonly recency: number
  readonly importance: number
}

export interface Stem {
  readonly lexeme: string
  /** The weight of the term in the search. */
  readonly weight: number
}

/**
 * Memories by how well they answer a search: BM25 over stems, against all of these memories. Recency, importance and
 * pinning decide among similar matches. Best first, and ties keep the order of the list. A memory that shares no word
 * with the search has a lexical score of 0.
 */
export const scoreMemories = <A extends ScoredMemory>(
  memories: ReadonlyArray<A>,
  search: ReadonlyArray<Stem>,
  nowMs: number
): ReadonlyArray<{ readonly memory: A; readonly score: MemoryScore }> => {
  const weights = new Map(search.map(({ lexeme, weight }) => [lexeme, weight]))
  const containing = new Map<string, number>()
  let length = 0
  for (const { lexemes } of memories) {
    length += lexemes.length
    for (const lexeme of lexemes) if (weights.has(lexeme)) containing.set(lexeme, (containing.get(lexeme) ?? 0) + 1)
  }
  const average = Math.max(1, length / Math.max(1, memories.length))
  const worth = new Map(
    [...containing].map(([lexeme, count]) => [
      lexeme,
      (weights.get(lexeme) ?? 0) * Math.log(1 + (memories.length - count + 0.5) / (count + 0.5))
    ])
  )
  // A memory contains a word once, so its term frequency is 1.
  const sums = memories.map(
    ({ lexemes }) =>
      (lexemes.reduce((sum, lexeme) => sum + (worth.get(lexeme) ?? 0), 0) * (K1 + 1)) /
      (1 + K1 * (1 - B + (B * lexemes.length) / average))
  )
  const most = Math.max(0, ...sums)
  return memories
    .map((memory, place) => {
      const parts = {
        lexical: most === 0 ? 0 : (sums[place] ?? 0) / most,
        recency: recency(memory.atMs, nowMs),
        importance: memory.importance / MAX_IMPORTANT
      }
      return {
        memory,
        score: {
          total:
            parts.lexical +
            WEIGHTS.recency * parts.recency +
            IMPORTANCE_WEIGHT * parts.importance +
            (memory.pinned ? PINNED : 0),
          ...parts
        }
      }
    })
    .sort((a, b) => b.score.total - a.score.total)
}
