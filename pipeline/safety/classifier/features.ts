import { conceptsOf } from "./concepts.ts"

/**
 * The features of a message, each a hash of 32 bits: words alone and with their neighbours, the beginnings of
 * neighbouring words, pieces of words (for misspelt ones), and concepts in their order.
 */

// Kinds of features, so that a word and a concept of the same name differ.
const WORD = 1,
  PAIR = 2,
  TRIPLE = 3,
  GAP = 4,
  STARTS = 5,
  STARTS_GAP = 6,
  PIECE = 7
const CONCEPT = 8,
  CONCEPT_PAIR = 9,
  CONCEPTS_NEAR = 10,
  CONCEPT_TRIPLE = 11,
  CONCEPT_WORD = 12,
  CONCEPT_GAP_WORD = 13,
  WORD_CONCEPT = 14

const START_LENGTH = 4
const SHORTEST_PIECE = 2
const LONGEST_PIECE = 5
/** Longer words are read at their beginning. */
const LONGEST_WORD = 24

const LETTER = /^\p{L}/u

const finish = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
const mix = (kind: number, first: number, second = 0, third = 0): number =>
  finish(
    Math.imul(Math.imul(Math.imul(kind ^ 0x9e3779b9, 16777619) ^ first, 16777619) ^ second, 0x01000193) +
      Math.imul(third, 0x27d4eb2f)
  )

const hashOf = (text: string, from = 0, to = text.length): number => {
  let hash = 2166136261
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 16777619)
  return finish(hash)
}

export interface Read {
  readonly word: number
  readonly start: number
  readonly pieces: ReadonlyArray<number>
  readonly concepts: ReadonlyArray<number>
}

const read = (token: string): Read => {
  const pieces: Array<number> = []
  if (LETTER.test(token)) {
    const padded = `^${token.slice(0, LONGEST_WORD)}$`
    for (let length = SHORTEST_PIECE; length <= LONGEST_PIECE; length++) {
      for (let at = 0; at + length <= padded.length; at++) pieces.push(mix(PIECE, hashOf(padded, at, at + length)))
    }
  }
  return {
    word: hashOf(token),
    start: hashOf(token, 0, Math.min(START_LENGTH, token.length)),
    pieces,
    concepts: conceptsOf(token).map((concept) => hashOf(concept))
  }
}

/** A token without its pieces. */
type BriefRead = Pick<Read, "word" | "concepts">
const briefRead = (token: string): BriefRead => ({
  word: hashOf(token),
  concepts: conceptsOf(token).map((concept) => hashOf(concept))
})

/** What was read of tokens, for further parts of the same message. */
export type KnownTokens = Map<string, Read>
export type KnownBriefly = Map<string, BriefRead>

const ENDS = ["<", ">"] as const
/** How many meaningful words on a concept's partner may be. */
const NEAR = 3
/** Where the second and the third of three concepts are, from the first. */
const TRIPLES = [
  [1, 2],
  [1, 3],
  [2, 3],
  [2, 4]
] as const
/** More features than one token can have: pieces of a word, then words and concepts around it. */
const MOST_OF_TOKEN = LONGEST_WORD * 4 + 100

const NOTHING: Read = { word: 0, start: 0, pieces: [], concepts: [] }

/** The features of tokens. */
export const featuresOf = (tokens: ReadonlyArray<string>, known: KnownTokens = new Map()): Uint32Array => {
  const reads = [ENDS[0], ...tokens, ENDS[1]].map((token) => {
    let one = known.get(token)
    if (one === undefined) known.set(token, (one = read(token)))
    return one
  })
  /** Tokens that have concepts: words without one are passed over. */
  const meaning = reads.filter(({ concepts }) => concepts.length > 0)
  let hashes = new Uint32Array(reads.length * 48 + MOST_OF_TOKEN)
  let count = 0
  let next = 0
  for (let at = 0; at < reads.length; at++) {
    if (count + MOST_OF_TOKEN > hashes.length) {
      const larger = new Uint32Array(hashes.length * 2)
      larger.set(hashes)
      hashes = larger
    }
    const { word, start, pieces, concepts } = reads[at] ?? NOTHING
    hashes[count++] = mix(WORD, word)
    for (const piece of pieces) hashes[count++] = piece
    const one = reads[at + 1]
    if (one !== undefined) {
      hashes[count++] = mix(PAIR, word, one.word)
      hashes[count++] = mix(STARTS, start, one.start)
      for (const concept of one.concepts) hashes[count++] = mix(WORD_CONCEPT, word, concept)
      for (const concept of concepts) hashes[count++] = mix(CONCEPT_WORD, concept, one.word)
    }
    const two = reads[at + 2]
    if (two !== undefined) {
      hashes[count++] = mix(TRIPLE, word, one?.word, two.word)
      hashes[count++] = mix(GAP, word, two.word)
      hashes[count++] = mix(STARTS_GAP, start, two.start)
      for (const concept of concepts) hashes[count++] = mix(CONCEPT_GAP_WORD, concept, two.word)
    }
    const three = reads[at + 3]
    if (three !== undefined) hashes[count++] = mix(GAP, word, three.word)
    if (concepts.length === 0) continue
    const place = next++
    for (const first of concepts) {
      hashes[count++] = mix(CONCEPT, first)
      for (let near = 1; near <= NEAR; near++) {
        for (const second of meaning[place + near]?.concepts ?? []) {
          hashes[count++] = mix(CONCEPTS_NEAR, first, second)
          if (near === 1) hashes[count++] = mix(CONCEPT_PAIR, first, second)
        }
      }
      for (const [near, further] of TRIPLES) {
        for (const second of meaning[place + near]?.concepts ?? []) {
          for (const third of meaning[place + further]?.concepts ?? [])
            hashes[count++] = mix(CONCEPT_TRIPLE, first, second, third)
        }
      }
    }
  }
  return hashes.subarray(0, count)
}

/** The features of tokens that say most for the time they take: words, neighbours, and concepts in their order. */
export const briefFeaturesOf = (tokens: ReadonlyArray<string>, known: KnownBriefly): ReadonlyArray<number> => {
  const hashes: Array<number> = []
  let before = 0
  let beforeThat = 0
  let concept = 0
  for (const token of tokens) {
    let one = known.get(token)
    if (one === undefined) known.set(token, (one = briefRead(token)))
    hashes.push(mix(WORD, one.word), mix(PAIR, before, one.word), mix(TRIPLE, beforeThat, before, one.word))
    for (const own of one.concepts) {
      hashes.push(mix(CONCEPT, own), mix(CONCEPT_PAIR, concept, own))
      concept = own
    }
    beforeThat = before
    before = one.word
  }
  return hashes
}
