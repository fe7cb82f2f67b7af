import { readFileSync } from "node:fs"
import { languageOf } from "../../languages.ts"

/** The words of one language that tell who speaks of whom. See words/. */

export interface Word {
  /** As it is written. */
  readonly raw: string
  /** In lower case, with plain apostrophes. */
  readonly low: string
  readonly start: number
  readonly end: number
}

const WORD = /[\p{L}\p{N}]+(?:['’.-][\p{L}\p{N}]+)*/gu

export const wordsIn = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(WORD), ({ 0: raw, index }) => ({
    raw,
    low: raw.toLowerCase().replaceAll("’", "'"),
    start: index,
    end: index + raw.length
  }))

export class Lexicon {
  readonly language: string
  readonly #lists = new Map<string, Set<string>>()
  /** By list and first word, how many words the longest phrase has. */
  readonly #longest = new Map<string, Map<string, number>>()
  readonly #relations = new Map<string, string>()
  /** Every single word of it, to tell languages apart. */
  readonly words = new Set<string>()

  constructor(language: string) {
    this.language = language
    for (const line of readFileSync(new URL(`words/${language}.txt`, import.meta.url), "utf8").split("\n")) {
      const [key = "", list = ""] = line.split(": ")
      const words = list.split(", ").map((word) => word.trim())
      for (const word of words) if (!word.includes(" ")) this.words.add(word)
      if (key.startsWith("relation "))
        for (const word of words) this.#relations.set(word, this.#relations.get(word) ?? key.slice("relation ".length))
      else {
        const longest = new Map<string, number>()
        for (const phrase of words) {
          const [first = "", ...more] = phrase.split(" ")
          longest.set(first, Math.max(longest.get(first) ?? 0, more.length + 1))
        }
        this.#lists.set(key, new Set(words))
        this.#longest.set(key, longest)
      }
    }
  }

  has(list: string, { low }: Pick<Word, "low">): boolean {
    return this.#lists.get(list)?.has(low) === true
  }

  /** How many words a phrase of the list takes that starts here. */
  phrase(list: string, words: ReadonlyArray<Word>, from: number): number {
    const phrases = this.#lists.get(list)
    const longest = this.#longest.get(list)?.get(words[from]?.low ?? "") ?? 0
    for (let length = Math.min(longest, words.length - from); length > 0; length -= 1)
      if (
        phrases?.has(
          words
            .slice(from, from + length)
            .map(({ low }) => low)
            .join(" ")
        ) === true
      )
        return length
    return 0
  }

  /** Where a phrase of the list stands first. -1: nowhere. */
  find(list: string, words: ReadonlyArray<Word>): number {
    return words.findIndex((_, place) => this.phrase(list, words, place) > 0)
  }

  /** The relation that a word names: "sister" for "sis". */
  relation({ low }: Pick<Word, "low">): string | undefined {
    return this.#relations.get(low)
  }
}

const LEXICONS = ["en", "de", "es", "pt"].map((language) => new Lexicon(language))

/** The lexicon that knows most words of a text, or else the one of its language. */
export const lexiconFor = (text: string): Lexicon => {
  const words = wordsIn(text)
  const ranking = LEXICONS.map((lexicon) => ({
    lexicon,
    known: words.filter((word) => lexicon.words.has(word.low) || lexicon.relation(word) !== undefined).length
  })).sort((a, b) => b.known - a.known)
  const told = ranking[0]?.known === ranking[1]?.known ? languageOf(text) : null
  return LEXICONS.find(({ language }) => language === told) ?? ranking[0]!.lexicon
}

/** Whether a word is in a list of any language. */
export const inAnyLanguage = (list: string, word: Pick<Word, "low">): boolean =>
  LEXICONS.some((lexicon) => lexicon.has(list, word))

export const relationIn = (word: Pick<Word, "low">): string | undefined =>
  LEXICONS.map((lexicon) => lexicon.relation(word)).find((relation) => relation !== undefined)

export const isCapital = ({ raw }: Word): boolean => /^\p{Lu}/u.test(raw)
