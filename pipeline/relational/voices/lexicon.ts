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

const MAX_PHRASE_WORDS = 7

export class Lexicon {
  readonly language: string
  readonly #lists = new Map<string, Set<string>>()
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
      else this.#lists.set(key, new Set(words))
    }
  }

  has(list: string, { low }: Pick<Word, "low">): boolean {
    return this.#lists.get(list)?.has(low) === true
  }

  /** How many words a phrase of the list takes that starts here. */
  phrase(list: string, words: ReadonlyArray<Word>, from: number): number {
    const phrases = this.#lists.get(list)
    for (let length = Math.min(MAX_PHRASE_WORDS, words.length - from); length > 0; length -= 1)
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

/** The lexicon for a text: of its language, or else the one that knows most of its words. */
export const lexiconFor = (text: string): Lexicon => {
  const told = languageOf(text)
  const words = wordsIn(text)
  const ranking = LEXICONS.map((lexicon) => ({
    lexicon,
    known: words.filter(({ low }) => lexicon.words.has(low) || lexicon.relation({ low }) !== undefined).length
  })).sort((a, b) => b.known - a.known)
  const [first] = ranking
  return LEXICONS.find(({ language }) => language === told) ?? first!.lexicon
}

/** Whether a word is in a list of any language. */
export const inAnyLanguage = (list: string, word: Pick<Word, "low">): boolean =>
  LEXICONS.some((lexicon) => lexicon.has(list, word))

export const relationIn = (word: Pick<Word, "low">): string | undefined =>
  LEXICONS.map((lexicon) => lexicon.relation(word)).find((relation) => relation !== undefined)

export const isCapital = ({ raw }: Word): boolean => /^\p{Lu}/u.test(raw)
