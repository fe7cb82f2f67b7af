import { terms } from "./terms.ts"

const K1 = 1.2
const B = 0.75

export interface Hit<A> {
  readonly item: A
  /** 0 to 1: the share of the query's weight that the text has. Words unknown to the index count against it. */
  readonly score: number
}

export interface Bm25<A> {
  /** The items that share a word with the query, best first; the earlier item wins a tie. */
  readonly search: (query: string) => ReadonlyArray<Hit<A>>
}

interface Posting {
  readonly idf: number
  readonly documents: ReadonlyArray<number>
  /** Weight of the term in each of `documents`, ready to be summed. */
  readonly weights: ReadonlyArray<number>
}

const inverseFrequency = (documents: number, containing: number): number =>
  Math.log(1 + (documents - containing + 0.5) / (containing + 0.5))

/** Builds an index over a few hundred short texts; meant to be built once and searched often. */
export const bm25 = <A>(items: ReadonlyArray<A>, textOf: (item: A) => string): Bm25<A> => {
  const documents = items.map((item) => terms(textOf(item)))
  const averageLength = documents.reduce((sum, document) => sum + document.length, 0) / Math.max(1, documents.length)
  const frequencies = new Map<string, Map<number, number>>()
  for (const [id, document] of documents.entries()) {
    for (const term of document) {
      const inDocuments = frequencies.get(term) ?? new Map<number, number>()
      inDocuments.set(id, (inDocuments.get(id) ?? 0) + 1)
      frequencies.set(term, inDocuments)
    }
  }
  const postings = new Map<string, Posting>()
  for (const [term, inDocuments] of frequencies) {
    const idf = inverseFrequency(items.length, inDocuments.size)
    postings.set(term, {
      idf,
      documents: [...inDocuments.keys()],
      weights: Array.from(inDocuments, ([id, frequency]) => {
        const length = documents[id]?.length ?? 0
        return (idf * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / averageLength))
      })
    })
  }
  const idfOfUnknown = inverseFrequency(items.length, 0)

  const search = (query: string): ReadonlyArray<Hit<A>> => {
    const sums = new Map<number, number>()
    let best = 0
    for (const term of new Set(terms(query))) {
      const posting = postings.get(term)
      best += posting?.idf ?? idfOfUnknown
      for (const [i, id] of (posting?.documents ?? []).entries())
        sums.set(id, (sums.get(id) ?? 0) + (posting?.weights[i] ?? 0))
    }
    return [...sums]
      .sort(([idA, a], [idB, b]) => b - a || idA - idB)
      .flatMap(([id, sum]) => {
        const item = items[id]
        return item === undefined ? [] : [{ item, score: Math.min(1, sum / best) }]
      })
  }
  return { search }
}
