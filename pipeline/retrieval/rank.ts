import { recency } from "./recency.ts"
import type { Recalled } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import { WEIGHTS } from "./weights.ts"

/** How much relevance counts against being like something already taken. */
const RELEVANCE = 0.7

const COMPARED_CHARS = 1_000

const likeness = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let shared = 0
  for (const word of one) if (other.has(word)) shared++
  return shared === 0 ? 0 : shared / (one.size + other.size - shared)
}

interface Candidate {
  readonly item: Recalled
  readonly score: number
  readonly words: ReadonlySet<string>
  /** How like it is to the likest of those taken. */
  closeness: number
}

const worth = ({ score, closeness }: Candidate): number => RELEVANCE * score - (1 - RELEVANCE) * closeness

/**
 * The best of what was found, the fresher first among equals, and not all about the same thing (maximal marginal
 * relevance).
 */
export const rank = (
  found: ReadonlyArray<Recalled>,
  nowMs: number,
  most: number,
  weights = WEIGHTS
): ReadonlyArray<Recalled> => {
  const left = new Set(
    found.map((item): Candidate => ({
      item,
      score: item.score + weights.recency * recency(item.at.getTime(), nowMs),
      words: new Set(terms(item.text.slice(0, COMPARED_CHARS))),
      closeness: 0
    }))
  )
  const taken: Array<Recalled> = []
  while (taken.length < most && left.size > 0) {
    const best = [...left].reduce((best, candidate) => (worth(candidate) > worth(best) ? candidate : best))
    taken.push(best.item)
    left.delete(best)
    for (const candidate of left)
      candidate.closeness = Math.max(candidate.closeness, likeness(candidate.words, best.words))
  }
  return taken
}
