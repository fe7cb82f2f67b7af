import { type RetrievalWeights, WEIGHTS } from "#pipeline/retrieval/weights.ts"

/** The words of a search as the database hands them out, big-endian: what it counts in rows is added up here. */
export interface Postings {
  /** The numbers of the first document, of the last, and of the last that may be found; they have no gaps. */
  readonly first: number
  readonly last: number
  readonly visible: number
  /** Words of a document. */
  readonly average: number
  /** How much each word of the search counts. */
  readonly weights: ReadonlyArray<number>
  /**
   * 14 bytes for each word in each document, word by word: the word (2), the document (4), how often (2), the words of
   * the document before (2), of itself (2) and of the one after (2).
   */
  readonly postings: Buffer
}

export interface ScoredDoc {
  readonly doc: number
  /** Above 0, and 1 for the best. */
  readonly score: number
}

const POSTING_BYTES = 14
const DOC = 2
const FREQUENCY = 6
const LENGTH_BEFORE = 8

const K1 = 1.2
const B = 0.75
/** How much it counts that a word stands in an utterance itself. */
const INSIDE = 2

/**
 * The documents that say most of what is searched, by BM25, each read together with its neighbours; the best and of
 * equal ones the newest first. Loops over typed arrays: a long conversation has thousands of places to add up.
 */
export const bestDocs = (
  { first, last, visible, average, weights, postings }: Postings,
  limit: number,
  { nextTo, nextButOne }: Pick<RetrievalWeights, "nextTo" | "nextButOne"> = WEIGHTS
): ReadonlyArray<ScoredDoc> => {
  const docs = last - first + 1
  const scores = new Float64Array(docs)
  // Room for two neighbours at both ends.
  const frequencies = new Float64Array(docs + 4)

  for (let from = 0, to = 0; from < postings.length; from = to) {
    const word = postings.readUInt16BE(from)
    while (to < postings.length && postings.readUInt16BE(to) === word) to += POSTING_BYTES
    for (let at = from; at < to; at += POSTING_BYTES) {
      const place = postings.readUInt32BE(at + DOC) - first + 2
      const often = postings.readUInt16BE(at + FREQUENCY)
      frequencies[place - 2]! += nextButOne * often
      frequencies[place - 1]! += nextTo * often
      frequencies[place]! += INSIDE * often
      frequencies[place + 1]! += nextTo * often
      frequencies[place + 2]! += nextButOne * often
    }
    const containing = (to - from) / POSTING_BYTES
    const weight = (weights[word] ?? 0) * Math.log(1 + (docs - containing + 0.5) / (containing + 0.5)) * (K1 + 1)
    const take = (place: number, words: number) => {
      const frequency = frequencies[place + 2] ?? 0
      if (frequency === 0) return
      frequencies[place + 2] = 0
      // The length that counts is that of an utterance with neighbours of average length, and never less than the
      // average: "Yes." must not outrank what it answers.
      scores[place]! += (weight * frequency) / (frequency + K1 * (1 - B + B * Math.max(1, (1 + words / average) / 2)))
    }
    for (let at = from; at < to; at += POSTING_BYTES) {
      const place = postings.readUInt32BE(at + DOC) - first
      for (let distance = -1; distance <= 1; distance++)
        take(place + distance, postings.readUInt16BE(at + LENGTH_BEFORE + 2 * (distance + 1)))
    }
    if (nextButOne === 0) continue
    // Of those further away the length is not at hand, and taken for the average.
    for (let at = from; at < to; at += POSTING_BYTES) {
      const place = postings.readUInt32BE(at + DOC) - first
      take(place - 2, average)
      take(place + 2, average)
    }
  }

  const best: Array<number> = []
  let least = 0
  for (let place = visible - first; place >= 0; place--) {
    const score = scores[place] ?? 0
    if (score <= least) continue
    best.splice(best.findLastIndex((other) => (scores[other] ?? 0) >= score) + 1, 0, place)
    if (best.length > limit) best.pop()
    if (best.length === limit) least = scores[best[limit - 1] ?? 0] ?? 0
  }
  const most = scores[best[0] ?? 0] ?? 1
  return best.map((place) => ({ doc: first + place, score: (scores[place] ?? 0) / most }))
}
