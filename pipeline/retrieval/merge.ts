import type { MemoryScore } from "./memoryScores.ts"
import { rank } from "./rank.ts"
import type { Recalled } from "./Retrieved.ts"
import { WEIGHTS } from "./weights.ts"

/** A fact that was noted of a person, found by a search. */
export interface FoundFact {
  readonly text: string
  /** Where it was said. */
  readonly cursor: number
  readonly at: Date
  readonly score: MemoryScore
}

/**
 * What was said and what was noted of it, in one order, the best first: a place on the log that both searches find counts for both.
 * `most` of them, not all about the same thing.
 */
export const merge = (found: ReadonlyArray<Recalled>, facts: ReadonlyArray<FoundFact>, nowMs: number, most: number, weights = WEIGHTS): ReadonlyArray<Recalled> => {
  const places = new Map(found.map((said) => [said.cursor, said]))
  for (const { cursor, text, at, score } of facts) {
    const said = places.get(cursor) ?? { role: "user", text, cursor, at, score: 0 }
    places.set(cursor, { ...said, score: said.score + weights.fact * score.lexical })
  }
  return rank([...places.values()], nowMs, most, weights)
}
