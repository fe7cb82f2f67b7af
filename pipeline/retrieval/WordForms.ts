import { BEGINNING_CHARS, stemChars } from "./wordsMatch.ts"

/** Longer words are compared by their beginnings. */
const READ_CHARS = 40

const NONE: ReadonlyArray<string> = []
// A loop: `Array.from` takes several times as long, and this runs for every word.
const beginningsOf = (word: string): ReadonlyArray<string> => {
  const last = stemChars(word)
  const beginnings: Array<string> = []
  for (let end = BEGINNING_CHARS; end <= last; end++) beginnings.push(word.slice(0, end))
  return beginnings
}

const add = (words: Map<string, Array<string>>, beginning: string, word: string): void => {
  const known = words.get(beginning)
  if (known === undefined) words.set(beginning, [word])
  else known.push(word)
}

/**
 * Words that others are compared with, as by `wordsMatch`. A comparison takes a few look-ups, however many words there
 * are.
 */
export class WordForms {
  readonly #words = new Set<string>()
  /** By what a longer word has to begin with. */
  readonly #byStem = new Map<string, Array<string>>()
  /** By everything that a shorter word may have to begin with. */
  readonly #byBeginning = new Map<string, Array<string>>()

  constructor(words: Iterable<string> = []) {
    for (const word of words) this.add(word)
  }

  get size(): number {
    return this.#words.size
  }

  add(word: string): void {
    if (this.#words.has(word)) return
    this.#words.add(word)
    if (word.length < BEGINNING_CHARS) return
    const read = word.slice(0, READ_CHARS)
    const beginnings = beginningsOf(read)
    add(this.#byStem, beginnings.at(-1) ?? "", word)
    for (const beginning of beginnings.slice(0, -1)) add(this.#byBeginning, beginning, word)
  }

  /** Whether one of them is a form of a word. */
  has(word: string): boolean {
    return this.of(word).next().done !== true
  }

  /** Those that are forms of any of these words. */
  in(words: Iterable<string>): ReadonlySet<string> {
    const found = new Set<string>()
    for (const word of new Set(words)) for (const one of this.of(word)) found.add(one)
    return found
  }

  /** Those that are forms of a word. */
  *of(word: string): Generator<string> {
    if (this.#words.has(word)) yield word
    if (word.length < BEGINNING_CHARS) return
    const beginnings = beginningsOf(word.slice(0, READ_CHARS))
    for (const beginning of beginnings)
      for (const one of this.#byStem.get(beginning) ?? NONE) if (one !== word) yield one
    for (const one of this.#byBeginning.get(beginnings.at(-1) ?? "") ?? NONE) if (one !== word) yield one
  }
}
