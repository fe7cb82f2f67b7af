import { recency } from "./recency.ts"
import type { Recalled } from "./Retrieved.ts"
import { terms } from "./terms.ts"
import { WEIGHTS } from "./weights.ts"

/** The weight of relevance against similarity to items already taken. */
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
  /** Similarity to the most similar item already taken. */
  closeness: number
}

const worth = ({ score, closeness }: Candidate): number => RELEVANCE * score - (1 - RELEVANCE) * closeness

/** The best results without near duplicates (maximal marginal relevance). Ties go to the newer one. */
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
