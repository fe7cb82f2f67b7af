import { memoize } from "../memoize.ts"
import { terms } from "../retrieval/terms.ts"
import { wordGrams } from "./phrases.ts"

/** How many past replies to compare with. */
const REMEMBERED = 10
const SAME = 0.5
const GRAM_WORDS = 4
const OPENER_WORDS = 3

/** A reply is compared with for ten more turns, so cache it. */
const MAX_TEXTS = 2000
const gramsOf = memoize(MAX_TEXTS, (text): ReadonlySet<string> => new Set(wordGrams(terms(text), GRAM_WORDS)))
/** The share that two sets have in common. */
export const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  let shared = 0
  for (const gram of one) if (other.has(gram)) shared++
  return shared === 0 ? 0 : shared / (one.size + other.size - shared)
}
const openerOf = (text: string): string => terms(text).slice(0, OPENER_WORDS).join(" ")
/** The question that a text ends with. */
export const closingQuestionOf = (text: string): string | null => {
  const last =
    text
      .trim()
      .split(/(?<=[.!?…。！？])\s+|\n+/)
      .at(-1) ?? ""
  return /[?？]["”’)]*$/.test(last) ? terms(last).join(" ") : null
}

/**
 * Whether a reply repeats what the character said recently, opens as its last two replies did, or ends with the same
 * question as the last one. `before` is what it said, oldest first.
 */
export const repeats = (reply: string, before: ReadonlyArray<string>): boolean => {
  const lately = before.slice(-REMEMBERED)
  const here = gramsOf(reply)
  // Without words, only the whole text can be compared.
  if (here.size === 0) return lately.some((said) => said.trim() === reply.trim())
  if (lately.some((said) => overlap(here, gramsOf(said)) >= SAME)) return true
  const opener = openerOf(reply)
  const lastTwo = lately.slice(-2)
  if (
    lastTwo.length === 2 &&
    opener.split(" ").length === OPENER_WORDS &&
    lastTwo.every((said) => openerOf(said) === opener)
  )
    return true
  const question = closingQuestionOf(reply)
  const last = lately.at(-1)
  return question !== null && last !== undefined && closingQuestionOf(last) === question
}
