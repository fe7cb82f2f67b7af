import { type RetrievalWeights, WEIGHTS } from "#pipeline/retrieval/weights.ts"

/** The words of a search as the database returns them, big-endian. They are summed here instead of in rows. */
export interface Postings {
  /** The numbers of the first document, of the last, and of the last that may be found. They have no gaps. */
  readonly first: number
  readonly last: number
  readonly visible: number
  /** The average number of words in a document. */
  readonly average: number
  /** The weight of each word of the search. */
  readonly weights: ReadonlyArray<number>
  /**
   * 14 bytes for each word in each document, ordered by word: the word (2), the document (4), its frequency (2), and
   * the number of words in the previous document (2), in this one (2) and in the next one (2).
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
/** The weight of a word in an utterance itself. */
const INSIDE = 2

/**
 * The documents that match a search best by BM25, each indexed together with its neighbours. Best first, and newest
 * first among equals. It loops over typed arrays, because a long conversation has thousands of postings.
 */
export const bestDocs = (
  { first, last, visible, average, weights, postings }: Postings,
  limit: number,
  { nextTo, nextButOne }: Pick<RetrievalWeights, "nextTo" | "nextButOne"> = WEIGHTS
): ReadonlyArray<ScoredDoc> => {
  const docs = last - first + 1
  const scores = new Float64Array(docs)
  // With room for two neighbours at both ends.
  const frequencies = new Float64Array(docs + 4)

  for (let from = 0, to = 0; from < postings.length; from = to) {
    const word = postings.readUInt16BE(from)
    while (to < postings.length && postings.readUInt16BE(to) === word) to += POSTING_BYTES
    for (let at = from; at < to; at += POSTING_BYTES) {
      const index = postings.readUInt32BE(at + DOC) - first + 2
      const often = postings.readUInt16BE(at + FREQUENCY)
      frequencies[index - 2]! += nextButOne * often
      frequencies[index - 1]! += nextTo * often
      frequencies[index]! += INSIDE * often
      frequencies[index + 1]! += nextTo * often
      frequencies[index + 2]! += nextButOne * often
    }
    const containing = (to - from) / POSTING_BYTES
    const weight = (weights[word] ?? 0) * Math.log(1 + (docs - containing + 0.5) / (containing + 0.5)) * (K1 + 1)
    const take = (index: number, words: number) => {
      const frequency = frequencies[index + 2] ?? 0
      if (frequency === 0) return
      frequencies[index + 2] = 0
      // The length that counts is that of an utterance with neighbours of average length, and at least the average:
      // "Yes." must not rank above what it answers.
      scores[index]! += (weight * frequency) / (frequency + K1 * (1 - B + B * Math.max(1, (1 + words / average) / 2)))
    }
    for (let at = from; at < to; at += POSTING_BYTES) {
      const index = postings.readUInt32BE(at + DOC) - first
      for (let distance = -1; distance <= 1; distance++)
        take(index + distance, postings.readUInt16BE(at + LENGTH_BEFORE + 2 * (distance + 1)))
    }
    if (nextButOne === 0) continue
    // The length of more distant ones is unknown, so the average is used.
    for (let at = from; at < to; at += POSTING_BYTES) {
      const index = postings.readUInt32BE(at + DOC) - first
      take(index - 2, average)
      take(index + 2, average)
    }
  }

  const best: Array<number> = []
  let least = 0
  for (let index = visible - first; index >= 0; index--) {
    const score = scores[index] ?? 0
    if (score <= least) continue
    best.splice(best.findLastIndex((other) => (scores[other] ?? 0) >= score) + 1, 0, index)
    if (best.length > limit) best.pop()
    if (best.length === limit) least = scores[best[limit - 1] ?? 0] ?? 0
  }
  const most = scores[best[0] ?? 0] ?? 1
  return best.map((index) => ({ doc: first + index, score: (scores[index] ?? 0) / most }))
}
