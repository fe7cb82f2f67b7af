import { type Lexicon, type Word, wordsIn } from "./lexicon.ts"
import type { Span } from "./quotations.ts"

/** A part of a sentence with at most one subject. */
export interface Clause extends Span {
  readonly words: ReadonlyArray<Word>
  /** What stands before it: punctuation. */
  readonly joint: string
}

export interface Sentence extends Span {
  readonly clauses: ReadonlyArray<Clause>
  readonly asks: boolean
  /** Whether a new paragraph begins with it. */
  readonly opensParagraph: boolean
}

const ENDS = /(?<![.!?…。！？;])[.!?…。！？;]+["'”»)\]*_]*(?=\s|$)|\n+|(?=¿)/gu
const ABBREVIATION =
  /(?:^|[\s(])(?:dra?|mrs?|ms|st|prof|sra?|srta|bzw|ca|approx|vs|etc|usw|z\.\s?b|e\.g|i\.e|p\.\s?ej|[a-hj-z])\.$/iu
const ORDINAL = /(?:^|\s)\d{1,2}\.$/
const LONGEST_ABBREVIATION = 9
export const INTO = /^(?:in|im|en|em|no|na|during|dentro|beim|nesse|neste|nessa|nesta|num|numa)$/
const PUNCTUATION = /[,:()—–]|\s-\s|\*/

const endsSentence = (text: string, at: number, mark: string, language: string): boolean => {
  if (!mark.startsWith(".") || mark.startsWith("..")) return true
  const end = text.slice(Math.max(0, at - LONGEST_ABBREVIATION), at + 1)
  return !ABBREVIATION.test(end) && !(language === "de" && ORDINAL.test(end))
}

/** "In my novel" before "the hero is a pilot". */
const isInside = (words: ReadonlyArray<Word>, from: number, at: number, lexicon: Lexicon): boolean =>
  at - from >= 2 &&
  at - from <= 5 &&
  lexicon.has("fiction", words[at - 1]!) &&
  words.slice(from, from + 2).some(({ low }) => INTO.test(low)) &&
  ["self", "determiner", "mine", "third"].some((list) => lexicon.has(list, words[at]!))

/** Whether a clause of its own begins at this word. */
const begins = (words: ReadonlyArray<Word>, from: number, at: number, gap: string, lexicon: Lexicon): boolean => {
  const word = words[at]
  const before = words[at - 1]
  if (word === undefined || before === undefined) return false
  if (isInside(words, from, at, lexicon)) return true
  if (PUNCTUATION.test(gap) || lexicon.has("joiner", word)) return true
  const isNominative = lexicon.has("self", word) || (lexicon.language === "en" && lexicon.has("third", word))
  return (
    isNominative &&
    lexicon.language !== "de" &&
    !lexicon.has("aux", before) &&
    !lexicon.has("opener", before) &&
    !lexicon.has("joiner", before) &&
    !lexicon.has("negator", before)
  )
}

const clausesIn = (text: string, { start, end }: Span, lexicon: Lexicon): ReadonlyArray<Clause> => {
  const words = Array.from(wordsIn(text.slice(start, end)), (word) => ({
    ...word,
    start: word.start + start,
    end: word.end + start
  }))
  const clauses: Array<Clause> = []
  let from = 0
  for (let at = 1; at <= words.length; at += 1) {
    const gap = at < words.length ? text.slice(words[at - 1]!.end, words[at]!.start) : ""
    if (at < words.length && !begins(words, from, at, gap, lexicon)) continue
    const own = words.slice(from, at)
    const [first] = own
    const last = own.at(-1)
    if (first !== undefined && last !== undefined)
      clauses.push({
        start: first.start,
        end: last.end,
        words: own,
        joint: from === 0 ? "" : text.slice(words[from - 1]!.end, first.start)
      })
    from = at
  }
  return clauses
}

/** The sentences of a stretch of a text. */
export const sentencesIn = (text: string, within: Span, lexicon: Lexicon): ReadonlyArray<Sentence> => {
  const part = text.slice(within.start, within.end)
  const sentences: Array<Sentence> = []
  let from = 0
  let opensParagraph = false
  const take = (to: number, mark: string) => {
    const span = { start: within.start + from, end: within.start + to }
    const clauses = clausesIn(text, span, lexicon)
    if (clauses.length > 0) {
      sentences.push({ ...span, clauses, asks: /[?？]/.test(mark), opensParagraph })
      opensParagraph = false
    }
    if (/\n\s*\n/.test(mark)) opensParagraph = true
    from = to
  }
  for (const { 0: mark, index } of part.matchAll(ENDS))
    if (mark !== "" ? endsSentence(part, index, mark, lexicon.language) : index > from) take(index + mark.length, mark)
  take(part.length, "")
  return sentences
}
