import { remembered } from "#pipeline/remembered.ts"
import { terms } from "#pipeline/retrieval/terms.ts"

/** Nothing is said again within this many of the character's own messages. */
const REMEMBERED = 10
/** Authored lines are shorter; what a model wrote before may not be. */
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

const gramsOf = (words: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(words.length <= GRAM ? [words.join(" ")] : words.slice(GRAM - 1).map((_, i) => words.slice(i, i + GRAM).join(" ")))

const alike = (a: ReadonlySet<string>, b: ReadonlySet<string>): number => {
  let shared = 0
  for (const gram of a) if (b.has(gram)) shared++
  return shared / (a.size + b.size - shared)
}

const closingQuestion = (text: string): string | null => {
  const end = text.trimEnd()
  return end.endsWith("?") ? end.slice(Math.max(...[".", "!", "?", "\n"].map((mark) => end.lastIndexOf(mark, end.length - 2))) + 1).trim().toLowerCase() : null
}

/** How a line ends, by which a filled-in one is known again. */
const closingOf = (words: ReadonlyArray<string>): string | null => words.length > CLOSING_WORDS ? words.slice(-CLOSING_WORDS).join(" ") : null

interface Line {
  readonly text: string
  readonly grams: ReadonlySet<string>
  readonly opener: string
  readonly closing: string | null
  readonly question: string | null
}

/** An author's lines are looked at in every turn, and what was said in ten. */
const MOST_LINES = 4000
const lineOf = remembered(MOST_LINES, (whole): Line => {
  const text = whole.slice(-COMPARED_CHARS)
  const words = terms(text)
  return { text: sameWords(text), grams: gramsOf(words), opener: words.slice(0, OPENER_WORDS).join(" "), closing: closingOf(words), question: closingQuestion(text) }
})

/** What it costs to say a line after what was said already. At `BLOCKED` and above it is only said when nothing else is left. */
export const repetition = (said: ReadonlyArray<string>): (line: string) => number => {
  const recent = said.slice(-REMEMBERED).map(lineOf)
  const asked = recent.slice(-2)
  return (whole) => {
    const line = lineOf(whole)
    if (recent.some((earlier) => earlier.text.includes(line.text) || alike(line.grams, earlier.grams) >= TOO_ALIKE)) return BLOCKED
    if (line.closing !== null && recent.some((earlier) => earlier.closing === line.closing)) return BLOCKED
    if (line.question !== null && recent.some((earlier) => earlier.question === line.question)) return BLOCKED
    const openers = recent.filter((earlier) => earlier.opener === line.opener).length
    const interrogates = line.question !== null && asked.length === 2 && asked.every((earlier) => earlier.question !== null)
    return (openers >= SAME_OPENERS ? OPENER_COSTS : 0) + (interrogates ? QUESTION_COSTS : 0)
  }
}

export const isBlocked = (cost: number): boolean => cost >= BLOCKED
