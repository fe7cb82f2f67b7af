import { wordGrams } from "#pipeline/emission/phrases.ts"
import { closingQuestionOf, overlap } from "#pipeline/emission/repetition.ts"
import { memoize } from "#pipeline/memoize.ts"
import { terms } from "#pipeline/retrieval/terms.ts"

/** Nothing is repeated within this many of the character's own messages. */
const REMEMBERED = 10
/** Authored lines are shorter than this. Earlier messages by a model may be longer. */
const COMPARED_CHARS = 2400
const GRAM = 4
const TOO_ALIKE = 0.4
const CLOSING_WORDS = 3
const OPENER_WORDS = 2
const SAME_OPENERS = 2

const BLOCKED = 1
const OPENER_COSTS = 0.12
const QUESTION_COSTS = 0.08

export const sameWords = (text: string): string => text.replace(/\s+/g, " ").trim()

/** The end of a line, which identifies it even if its slots were filled differently. */
const closingOf = (words: ReadonlyArray<string>): string | null =>
  words.length > CLOSING_WORDS ? words.slice(-CLOSING_WORDS).join(" ") : null

interface Line {
  readonly text: string
  readonly grams: ReadonlySet<string>
  readonly opener: string
  readonly closing: string | null
  readonly question: string | null
}

/** Authored lines are checked in every turn, and messages that were said in ten turns. */
const MAX_LINES = 4000
const lineOf = memoize(MAX_LINES, (whole): Line => {
  const text = whole.slice(-COMPARED_CHARS)
  const words = terms(text)
  return {
    text: sameWords(text),
    grams: new Set(wordGrams(words, GRAM)),
    opener: words.slice(0, OPENER_WORDS).join(" "),
    closing: closingOf(words),
    question: closingQuestionOf(text)
  }
})

/**
 * The penalty for a line after what was said before. At `BLOCKED` and above, it is only said if nothing else is left.
 */
export const repetition = (said: ReadonlyArray<string>): ((line: string) => number) => {
  const recent = said.slice(-REMEMBERED).map(lineOf)
  const asked = recent.slice(-2)
  return (whole) => {
    const line = lineOf(whole)
    if (recent.some((earlier) => earlier.text.includes(line.text) || overlap(line.grams, earlier.grams) >= TOO_ALIKE))
      return BLOCKED
    if (line.closing !== null && recent.some((earlier) => earlier.closing === line.closing)) return BLOCKED
    if (line.question !== null && recent.some((earlier) => earlier.question === line.question)) return BLOCKED
    const openers = recent.filter((earlier) => earlier.opener === line.opener).length
    const interrogates =
      line.question !== null && asked.length === 2 && asked.every((earlier) => earlier.question !== null)
    return (openers >= SAME_OPENERS ? OPENER_COSTS : 0) + (interrogates ? QUESTION_COSTS : 0)
  }
}

export const isBlocked = (cost: number): boolean => cost >= BLOCKED
