import { hash } from "node:crypto"
import type { Label, Scores } from "./classifier/Classifier.ts"
import { classifier } from "./loadedClassifier.ts"
import { type Passage, passagesOf } from "./passages.ts"

/** The length up to which a text is read as it is. */
const READ_WHOLE = 4_000
/** How much of a longer text is read at each end, in characters. */
const ENDS = 1_000
/** How much is read in between: the passages that are most likely to say something. */
const BETWEEN = 3_500
/** What passages are ranked by. The best of each in turn, and most for a person's own life. */
const RANKINGS: ReadonlyArray<Label> = ["self", "medical", "minor", "self", "ask", "danger", "self", "minor", "threat"]
/** Each passage is read from so far before its beginning, which may be in the middle of a sentence. */
const OVERLAP = 60

/** The passages to be read first, best first for each ranking in turn. */
const ranked = (passages: ReadonlyArray<Passage>, scores: ReadonlyArray<Scores>): ReadonlyArray<Passage> => {
  const orders = Object.fromEntries(
    [...new Set(RANKINGS)].map((label) => [
      label,
      passages.map((_, place) => place).sort((one, other) => scores[other]![label] - scores[one]![label])
    ])
  )
  const chosen = new Set<number>()
  let room = BETWEEN
  for (let turn = 0; room > 0 && chosen.size < passages.length; turn++) {
    const order = orders[RANKINGS[turn % RANKINGS.length]!]!
    const best = order.find((place) => !chosen.has(place))
    if (best === undefined) break
    chosen.add(best)
    room -= passages[best]!.to - passages[best]!.from + OVERLAP
  }
  return [...chosen].sort((one, other) => one - other).map((place) => passages[place]!)
}

/** Where to read in the middle of a long text. A text that repeats itself is read once. */
const placesIn = (middle: string): ReadonlyArray<Passage> => {
  const seen = new Set<string>()
  const passages = passagesOf(middle).filter(({ from, to }) => {
    const text = middle.slice(from, to)
    if (seen.has(text)) return false
    seen.add(text)
    return true
  })
  return ranked(passages, classifier.estimates([...seen], new Date().getFullYear()))
}

/**
 * Several rules read the same message. The cache is keyed by a hash and holds positions, so it keeps no text.
 */
const MAX_KEPT = 64
const kept = new Map<string, ReadonlyArray<Passage>>()
const keptPlacesIn = (middle: string): ReadonlyArray<Passage> => {
  const key = hash("sha1", middle)
  const known = kept.get(key)
  if (known !== undefined) return known
  const places = placesIn(middle)
  const oldest = kept.keys().next()
  if (kept.size >= MAX_KEPT && oldest.done !== true) kept.delete(oldest.value)
  kept.set(key, places)
  return places
}

/**
 * What the rules read of a text: all of it up to 4,000 characters. Of longer texts both ends, and the passages in
 * between that are most likely to say that somebody is in danger, is under age or asks whether an AI answers. The parts
 * are separated as paragraphs.
 */
export const excerptOf = (given: string): string => {
  if (given.length <= READ_WHOLE) return given
  const middle = given.slice(ENDS, -ENDS)
  const start = given.slice(0, ENDS)
  // What repeats the beginning has been read.
  const parts = keptPlacesIn(middle)
    .filter(({ from, to }) => !start.includes(middle.slice(from, to).trim()))
    .map(({ from, to }) => middle.slice(Math.max(0, from - OVERLAP), to))
  const end = given.slice(-ENDS)
  return [start, ...parts, ...(end === start ? [] : [end])].join("\n\n")
}
