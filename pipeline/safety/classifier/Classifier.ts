import { readFileSync } from "node:fs"
import { zstdDecompressSync } from "node:zlib"
import { briefFeaturesOf, featuresOf, type KnownBriefly, type KnownTokens } from "./features.ts"
import { tokensOf } from "./tokens.ts"

/** What a message may be found to say, and the languages that it may be written in. */
export const LABELS = ["self", "medical", "danger", "threat", "minor", "ask", "en", "de", "es", "pt"] as const
export type Label = (typeof LABELS)[number]

/** Above zero: found. The best of a long message's windows. */
export type Scores = Readonly<Record<Label, number>>

/** Most tokens of a message that are scored at once: some sentences, or a part of a long one. */
const WINDOW = 24
/** How far apart windows begin: at the next sentence from there on, if there is one in the window, or there. */
const STEP = 16

const endsSentence = (token: string | undefined): boolean => token === "." || token === "?"

/**
 * The parts of a message that are scored as messages of their own: whole sentences, as many as fit. A short message is
 * one part.
 */
const windowsOf = (tokens: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const windows: Array<ReadonlyArray<string>> = []
  for (let from = 0; ;) {
    const room = from + WINDOW
    if (tokens.length <= room) return [...windows, tokens.slice(from)]
    let to = room
    while (to > from && !endsSentence(tokens[to - 1])) to--
    if (to === from) to = room
    windows.push(tokens.slice(from, to))
    let next = from + STEP
    while (next < to && !endsSentence(tokens[next - 1])) next++
    from = to === room && !endsSentence(tokens[to - 1]) && next === to ? from + STEP : Math.min(next, to)
  }
}

/** A sentence or a clause is scored lower than a whole message: what stands around it might change what it means. */
const LESS_FOR_SENTENCE = 1
const LESS_FOR_CLAUSE = 1.5
/** Words and marks between clauses. A full stop may be a part of a number or an ordinal. */
const CLAUSE_END = new Set(", ? and but und aber y pero mas e btw".split(" "))
const isNumber = (token: string | undefined): boolean => token?.startsWith("0") === true
const FEWEST_OF_CLAUSE = 2

/** The clauses of a message that has several. A longer one is cut, and scored whole in a window. */
const clausesOf = (tokens: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const clauses: Array<ReadonlyArray<string>> = []
  for (let from = 0; from < tokens.length;) {
    let to = from
    while (
      to < tokens.length &&
      (!CLAUSE_END.has(tokens[to] ?? "") || (tokens[to] === "," && isNumber(tokens[to + 1])))
    )
      to++
    if (to - from >= FEWEST_OF_CLAUSE && to - from < tokens.length)
      clauses.push(tokens.slice(from, Math.min(to, from + WINDOW)))
    from = to + 1
  }
  return clauses
}

/** Where a sentence ends: not within "10.5", nor after the number of a floor or a day in German ("im 12. Stock"). */
const SENTENCE_END = new RegExp(
  String.raw`(?<=[!?])\s+|(?<=\.)(?<!(?:^|\s)(?:[AaIi]m|[Vv]om|[Zz]um|[Bb]eim|[Dd]er|[Dd]e[nm]|[Dd]ie|` +
    String.raw`[Dd]as) \d{1,2}\.(?=\s\p{Lu}))\s+|\n+`,
  "u"
)
const MOST_SENTENCES = 200

/** The sentences of a message that has several. */
const sentencesOf = (text: string): ReadonlyArray<string> => {
  const sentences = text.split(SENTENCE_END, MOST_SENTENCES)
  return sentences.length < 2 ? [] : sentences
}

/**
 * Logistic regression over `featuresOf`, one for each label: the hashes of the features, sorted, and their weights as
 * bytes, label by label. `weights.json` holds what a byte stands for, and the score from which a label is found.
 * `npm run train:safety` writes the files.
 */
export interface Weights {
  readonly hashes: Uint32Array
  readonly values: Int8Array
  readonly scale: ReadonlyArray<number>
  /** The score of a message without features, less the score from which on the label is found. */
  readonly bias: ReadonlyArray<number>
}

/** By so many of its first bits the place of a hash is looked up. */
const INDEX_BITS = 20
const SHIFT = 32 - INDEX_BITS

/** For each value of the first bits, the place of the first hash that has them or comes after; `hashes` are sorted. */
const indexOf = (hashes: Uint32Array): Uint32Array => {
  const index = new Uint32Array(2 ** INDEX_BITS + 1)
  let next = 0
  for (let place = 0; place < hashes.length; place++) {
    for (const bits = hashes[place]! >>> SHIFT; next <= bits; next++) index[next] = place
  }
  return index.fill(hashes.length, next)
}

/** The weights of each feature side by side. */
const byFeature = (values: Int8Array, features: number): Int8Array => {
  const beside = new Int8Array(values.length)
  for (let label = 0; label < LABELS.length; label++) {
    const from = label * features
    for (let place = 0, at = label; place < features; place++, at += LABELS.length) beside[at] = values[from + place]!
  }
  return beside
}

const byLabel = (scores: Float64Array): Scores =>
  Object.fromEntries(LABELS.map((label, at) => [label, scores[at]])) as Record<Label, number>

export class Classifier {
  readonly #hashes: Uint32Array
  readonly #index: Uint32Array
  readonly #scale: ReadonlyArray<number>
  readonly #bias: ReadonlyArray<number>
  readonly #values: Int8Array

  constructor({ hashes, values, scale, bias }: Weights) {
    this.#hashes = hashes
    this.#index = indexOf(hashes)
    this.#scale = scale
    this.#bias = bias
    this.#values = byFeature(values, hashes.length)
  }

  /** Where a feature's weights are, or -1. */
  #find(hash: number): number {
    const end = this.#index[(hash >>> SHIFT) + 1]!
    for (let place = this.#index[hash >>> SHIFT]!; place < end; place++) {
      if (this.#hashes[place] === hash) return place
    }
    return -1
  }

  /** Raises `best` to the scores of these features where they are higher, after `less` is taken off. */
  #score(features: Iterable<number>, less: number, best: Float64Array): void {
    const values = this.#values
    const sums = new Int32Array(LABELS.length)
    let known = 0
    for (const feature of features) {
      const place = this.#find(feature)
      if (place === -1) continue
      known++
      for (let label = 0; label < LABELS.length; label++) sums[label]! += values[place * LABELS.length + label]!
    }
    const size = Math.sqrt(Math.max(1, known))
    for (let label = 0; label < LABELS.length; label++) {
      best[label] = Math.max(best[label]!, this.#bias[label]! + (sums[label]! * this.#scale[label]!) / size - less)
    }
  }

  /**
   * Estimates from few features, for a ranking of the passages of a long text by what they may say. About ten times
   * faster than `scores`.
   */
  estimates(passages: ReadonlyArray<string>, year: number): ReadonlyArray<Scores> {
    const known: KnownBriefly = new Map()
    return passages.map((passage) => {
      const best = new Float64Array(LABELS.length).fill(Number.NEGATIVE_INFINITY)
      this.#score(briefFeaturesOf(tokensOf(passage, year), known), 0, best)
      return byLabel(best)
    })
  }

  /** `year`: the present one. Linear in the length of the text. */
  scores(text: string, year: number): Scores {
    const known: KnownTokens = new Map()
    const best = new Float64Array(LABELS.length).fill(Number.NEGATIVE_INFINITY)
    const tokens = tokensOf(text, year)
    for (const part of windowsOf(tokens)) this.#score(featuresOf(part, known), 0, best)
    for (const part of clausesOf(tokens)) this.#score(featuresOf(part, known), LESS_FOR_CLAUSE, best)
    for (const sentence of sentencesOf(text)) {
      this.#score(featuresOf(tokensOf(sentence, year).slice(0, WINDOW), known), LESS_FOR_SENTENCE, best)
    }
    return byLabel(best)
  }
}

/** More than the decompressed weights. In smaller chunks, which are put together, it takes three times the time. */
const CHUNK_BYTES = 16 * 1024 * 1024

const read = (name: string): Buffer => readFileSync(new URL(name, import.meta.url))

/** The weights that the project comes with. */
export const readWeights = (): Weights => {
  const { scale, bias } = JSON.parse(read("weights.json").toString("utf8")) as Pick<Weights, "scale" | "bias">
  const { buffer, byteOffset, length } = zstdDecompressSync(read("weights.bin.zst"), { chunkSize: CHUNK_BYTES })
  const count = length / (4 + LABELS.length)
  return {
    hashes: new Uint32Array(buffer, byteOffset, count),
    values: new Int8Array(buffer, byteOffset + count * 4, count * LABELS.length),
    scale,
    bias
  }
}
