import { contentOf } from "./contentWords.ts"
import { terms } from "./terms.ts"
import type { Utterance } from "./Transcript.ts"

export interface QueryTerm {
  readonly term: string
  readonly weight: number
}

/** A short question ("how's she doing?") means what was spoken of just before, so that counts too, and the names in it almost in full. */
const EARLIER = 0.3
const NAME = 0.7
const EARLIER_MESSAGES = 2
/** A message with so many telling words speaks for itself. */
const TELLING_WORDS = 4
const MOST_TERMS = 64

/** Words in capitals that do not begin a sentence. German writes every noun so, which does no harm: nouns are what is asked about. */
const NAMES = /(?<=[\p{L}\p{N},;:'’"”)\]] )\p{Lu}[\p{L}'’-]+/gu

const namesIn = (text: string): ReadonlyArray<string> => (text.match(NAMES) ?? []).filter((name) => !/^I['’]?/.test(name) || name.length > 4).flatMap(terms)

/** What to look for when a message is to be answered: its words, and with less weight those of the two messages before it if it has few of its own. */
export const recallQuery = (text: string, history: ReadonlyArray<Utterance>): ReadonlyArray<QueryTerm> => {
  const weights = new Map<string, number>()
  const add = (words: ReadonlyArray<string>, weight: number) => {
    for (const word of words) weights.set(word, Math.max(weight, weights.get(word) ?? 0))
  }
  const own = terms(text)
  add(own, 1)
  const before = contentOf(own).length >= TELLING_WORDS ? [] : history.filter(({ role }) => role === "user").slice(-EARLIER_MESSAGES)
  for (const said of before) add(terms(said.text), EARLIER)
  for (const said of history.slice(-2 * EARLIER_MESSAGES)) add(namesIn(said.text), NAME)
  return Array.from(weights, ([term, weight]) => ({ term, weight })).sort((a, b) => b.weight - a.weight).slice(0, MOST_TERMS)
}
