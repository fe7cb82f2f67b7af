import type { Recalled } from "./Retrieved.ts"
import { terms } from "./terms.ts"

/** A memory only slightly fresher than another must not pass it for that: recency in equal weights ruins recall. */
const RECENCY = 0.05
const RECENCY_HALF_LIFE_DAYS = 30
const DAY_MS = 86_400_000
/** How much relevance counts against being like something already taken. */
const RELEVANCE = 0.7

const COMPARED_CHARS = 1_000

const likeness = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const shared = [...one].filter((word) => other.has(word)).length
  return shared === 0 ? 0 : shared / (one.size + other.size - shared)
}

/** The best of what was found, the fresher first among equals, and not all about the same thing (maximal marginal relevance). */
export const rank = (found: ReadonlyArray<Recalled>, nowMs: number, most: number): ReadonlyArray<Recalled> => {
  const left = found.map((item) => ({
    item,
    score: item.score + RECENCY * 2 ** (-Math.max(0, nowMs - item.at.getTime()) / DAY_MS / RECENCY_HALF_LIFE_DAYS),
    words: new Set(terms(item.text.slice(0, COMPARED_CHARS)))
  }))
  const taken: Array<(typeof left)[number]> = []
  const worth = ({ score, words }: (typeof left)[number]): number =>
    RELEVANCE * score - (1 - RELEVANCE) * taken.reduce((most, other) => Math.max(most, likeness(words, other.words)), 0)
  while (taken.length < most && left.length > 0) {
    const best = left.reduce((best, candidate) => worth(candidate) > worth(best) ? candidate : best)
    taken.push(best)
    left.splice(left.indexOf(best), 1)
  }
  return taken.map(({ item }) => item)
}
