import { contentOf } from "./contentWords.ts"
import { terms } from "./terms.ts"
import type { Utterance } from "./Transcript.ts"
import { WEIGHTS } from "./weights.ts"

export interface QueryTerm {
  readonly term: string
  readonly weight: number
}

const EARLIER_MESSAGES = 2
/** A message with so many telling words speaks for itself, unless it has a word that stands for another. */
const TELLING_WORDS = 2
const PRONOUNS = new Set(
  "he him his she her hers they them their er ihm ihn sie ihr ihre ihren da dort el ella ellos ellas il elle ils elles lui leur ele ela eles elas".split(
    " "
  )
)
const MOST_TERMS = 64

/**
 * Words in capitals that do not begin a sentence. German writes every noun so, which does no harm: nouns are what is
 * asked about.
 */
const NAMES = /(?<=[\p{L}\p{N},;:'’"”)\]] )\p{Lu}[\p{L}'’-]+/gu

const namesIn = (text: string): ReadonlyArray<string> =>
  (text.match(NAMES) ?? []).filter((name) => !/^I['’]?/.test(name) || name.length > 4).flatMap(terms)

/**
 * What to look for when a message is to be answered: its words, and with less weight those of the two messages before
 * it if it has few of its own. A short question ("how's she doing?") means what was spoken of just before, and the
 * names in that almost in full.
 */
export const recallQuery = (
  text: string,
  history: ReadonlyArray<Utterance>,
  { earlier, name } = WEIGHTS
): ReadonlyArray<QueryTerm> => {
  const weights = new Map<string, number>()
  const add = (words: ReadonlyArray<string>, weight: number) => {
    for (const word of words) weights.set(word, Math.max(weight, weights.get(word) ?? 0))
  }
  const words = terms(text)
  const own = contentOf(words)
  add(own.length > 0 ? own : words, 1)
  if (own.length < TELLING_WORDS || words.some((word) => PRONOUNS.has(word))) {
    for (const said of history.filter(({ role }) => role === "user").slice(-EARLIER_MESSAGES))
      add(contentOf(terms(said.text)), earlier)
    for (const said of history.slice(-2 * EARLIER_MESSAGES)) add(namesIn(said.text), name)
  }
  return Array.from(weights, ([term, weight]) => ({ term, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MOST_TERMS)
}
