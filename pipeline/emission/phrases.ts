import { memoize } from "../memoize.ts"
import { wordsMatch } from "../retrieval/wordsMatch.ts"
import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

/** The runs of `size` consecutive terms. A shorter text gives one run. */
export const wordGrams = (words: ReadonlyArray<string>, size: number): ReadonlyArray<string> => {
  if (words.length === 0) return []
  if (words.length <= size) return [words.join(" ")]
  return words.slice(size - 1).map((_, i) => words.slice(i, i + size).join(" "))
}

// How many texts to cache. They are the service rules and the authored secrets.
const MEMORY = 2000

const LEAK_WORDS = 8
const longRuns = memoize(MEMORY, (text: string): ReadonlySet<string> => {
  const words = terms(text)
  return new Set(words.length < LEAK_WORDS ? [] : wordGrams(words, LEAK_WORDS))
})

/** Whether a reply repeats eight consecutive words of a text that is not for the user. */
export const quotes = (replyWords: ReadonlyArray<string>, text: string): boolean => {
  if (replyWords.length < LEAK_WORDS) return false
  const watched = longRuns(text)
  return watched.size > 0 && wordGrams(replyWords, LEAK_WORDS).some((gram) => watched.has(gram))
}

const SECRET_WORDS = 3
/** How many other content words may stand between those of a secret. */
const MAX_BETWEEN = 3
/** The same for a secret with only two content words. */
const MAX_BETWEEN_TWO = 1
interface Secret {
  /** Whether function words are left out, so that "she sold the boat" also matches "I sold that boat". */
  readonly content: boolean
  readonly size: number
  readonly runs: ReadonlyArray<ReadonlyArray<string>>
}
const secretRuns = memoize(MEMORY, (text: string): Secret => {
  const all = terms(text)
  const words = contentOf(all)
  // A single content word would ban the word itself, so such a secret is matched as it was written.
  const content = words.length > 1
  const watched = content ? words : all
  const size = content ? Math.min(SECRET_WORDS, watched.length) : watched.length
  return { content, size, runs: wordGrams(watched, size).map((gram) => gram.split(" ")) }
})

const BEGINNING_CHARS = 4

/** Positions of each word in a reply, regardless of its form. */
class WordPositions {
  readonly #words: ReadonlyArray<string>
  readonly #byBeginning: ReadonlyMap<string, ReadonlyArray<number>>
  readonly #found = new Map<string, ReadonlySet<number>>()

  constructor(words: ReadonlyArray<string>) {
    this.#words = words
    this.#byBeginning = Map.groupBy(words.keys(), (index) => words[index]?.slice(0, BEGINNING_CHARS) ?? "")
  }

  of(word: string): ReadonlySet<number> {
    const found =
      this.#found.get(word) ??
      new Set(
        (this.#byBeginning.get(word.slice(0, BEGINNING_CHARS)) ?? []).filter((index) =>
          wordsMatch(word, this.#words[index] ?? "")
        )
      )
    this.#found.set(word, found)
    return found
  }

  /** Whether all of these words stand close to each other, in any order. */
  together(words: ReadonlyArray<string>, within: number): boolean {
    const wanted = [...new Set(words)].map((word) => this.of(word))
    return (
      wanted.every(({ size }) => size > 0) &&
      wanted.some((starts) =>
        [...starts].some((start) => {
          const near = Array.from({ length: within }, (_, distance) => start + distance)
          return wanted.every((places) => near.some((index) => places.has(index)))
        })
      )
    )
  }
}

/**
 * Whether a reply gives away a secret: three of its content words near each other, in any order and form, or all of
 * them if the secret has fewer.
 */
export const leaks = (replyWords: ReadonlyArray<string>, secrets: ReadonlyArray<string>): boolean => {
  if (secrets.length === 0) return false
  const content = new WordPositions(contentOf(replyWords))
  const whole = new Set(secrets.some((text) => !secretRuns(text).content) ? replyWords : [])
  return secrets.some((text) => {
    const { content: telling, size, runs } = secretRuns(text)
    if (size === 0) return false
    if (!telling)
      return runs.some(
        ([word = "", ...more]) =>
          whole.has(word) && ` ${replyWords.join(" ")} `.includes(` ${[word, ...more].join(" ")} `)
      )
    return runs.some((run) => content.together(run, size + (size < SECRET_WORDS ? MAX_BETWEEN_TWO : MAX_BETWEEN)))
  })
}
