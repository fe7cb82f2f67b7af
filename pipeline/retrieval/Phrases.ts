import { endsUnspaced, isOfAWord, startsUnspaced } from "../wholeWords.ts"

const SIZE = 3
/** A shorter text is simply searched. */
const SHORT_TEXT = 500
const BUCKETS = 1 << 14
/** How many places of a phrase are looked at to find the one that is rarest in the text. */
const PLACES = 8
/**
 * How many positions are compared in one text. Thousands of phrases rarely take that many. Deterministic on every
 * machine.
 */
const MAX_COMPARED = 50_000
const [UNKNOWN, NO, YES] = [0, 1, 2]

const bucketOf = (text: string, at: number): number =>
  (Math.imul(Math.imul(text.charCodeAt(at), 31) + text.charCodeAt(at + 1), 31) + text.charCodeAt(at + 2)) &
  (BUCKETS - 1)

/**
 * A text in which thousands of short phrases are searched for, without reading the text for each of them. When the
 * comparisons for one text are used up, nothing more is found.
 */
export class Phrases {
  readonly #text: string
  readonly #counts: Uint32Array
  /** The first position in each bucket, and the next one after each position, plus one. 0: none. */
  readonly #first: Uint32Array
  readonly #next: Uint32Array
  #short: ReadonlySet<string> | null = null
  /** Whether each character is part of a word, as far as it is known. */
  #ofWords: Uint8Array | null = null
  #left = MAX_COMPARED

  constructor(text: string) {
    this.#text = text
    const isIndexed = text.length > SHORT_TEXT
    this.#counts = new Uint32Array(isIndexed ? BUCKETS : 0)
    this.#first = new Uint32Array(isIndexed ? BUCKETS : 0)
    this.#next = new Uint32Array(isIndexed ? text.length : 0)
    if (isIndexed) this.#index()
  }

  #index(): void {
    const text = this.#text
    for (let at = text.length - SIZE; at >= 0; at--) {
      const bucket = bucketOf(text, at)
      this.#next[at] = this.#first[bucket] ?? 0
      this.#first[bucket] = at + 1
      this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    }
  }

  /** Whether the comparisons are used up, so that phrases may have been missed. */
  get isUsedUp(): boolean {
    return this.#left < 0
  }

  /** Whether the text contains a phrase. */
  has(phrase: string): boolean {
    return this.#find(phrase, false)
  }

  /** Whether the text contains a phrase, and not only as part of a longer word, as far as its script marks words. */
  hasWholeWord(phrase: string): boolean {
    return this.#find(phrase, true)
  }

  #find(phrase: string, isWhole: boolean): boolean {
    const isSearched = phrase.length < SIZE || this.#next.length === 0
    if (isSearched && this.#next.length > 0 && !this.#hasShort(phrase)) return false
    const isOpenBefore = !isWhole || startsUnspaced(phrase)
    const isOpenBehind = !isWhole || endsUnspaced(phrase)
    const offset = isSearched ? 0 : this.#rarestIn(phrase)
    let at = isSearched ? this.#text.indexOf(phrase) : (this.#first[bucketOf(phrase, offset)] ?? 0) - 1
    while (at !== -1) {
      if (--this.#left < 0) return false
      const from = at - offset
      // What is beside the phrase is looked at first: it is cheaper than the phrase, and known after the first time.
      const fits =
        from >= 0 &&
        (isOpenBefore || !this.#isOfAWord(from - 1)) &&
        (isOpenBehind || !this.#isOfAWord(from + phrase.length))
      // Faster than startsWith, which compares character by character.
      if (fits && this.#text.slice(from, from + phrase.length) === phrase) return true
      at = isSearched ? this.#text.indexOf(phrase, at + 1) : (this.#next[at] ?? 0) - 1
    }
    return false
  }

  /** Before the text and after it is no word. */
  #isOfAWord(at: number): boolean {
    this.#ofWords ??= new Uint8Array(this.#text.length)
    const known = this.#ofWords[at]
    // Not defined: outside of the text.
    if (known !== UNKNOWN) return known === YES
    const isOf = isOfAWord(this.#text, at)
    this.#ofWords[at] = isOf ? YES : NO
    return isOf
  }

  #rarestIn(phrase: string): number {
    const last = phrase.length - SIZE
    let [rarest, least] = [0, Infinity]
    for (let place = PLACES; place >= 0 && least > 0; place--) {
      const at = Math.round((last * place) / PLACES)
      const count = this.#counts[bucketOf(phrase, at)] ?? 0
      if (count < least) [rarest, least] = [at, count]
    }
    return rarest
  }

  #hasShort(phrase: string): boolean {
    if (this.#short === null) {
      const short = new Set([""])
      for (let at = 0; at < this.#text.length; at++) {
        short.add(this.#text.charAt(at))
        short.add(this.#text.slice(at, at + 2))
      }
      this.#short = short
    }
    return this.#short.has(phrase)
  }
}
