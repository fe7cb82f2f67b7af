import { contentOf } from "./contentWords.ts"
import { terms } from "./terms.ts"
import { topicsAsked } from "./topics/topics.ts"
import type { Utterance } from "./Transcript.ts"
import { WEIGHTS } from "./weights.ts"

export interface QueryTerm {
  readonly term: string
  readonly weight: number
}

const EARLIER_MESSAGES = 2
/** A message with this many content words needs no context, unless it contains a pronoun. */
const TELLING_WORDS = 2
const PRONOUNS = new Set(
  (
    "he him his she her hers they them their er ihm ihn sie ihr ihre ihren da dort el ella ellos ellas il elle ils " +
    "elles lui leur ele ela eles elas"
  ).split(" ")
)
const MAX_TERMS = 64
const MAX_TOPICS = 8

/**
 * Capitalized words that do not begin a sentence. German capitalizes every noun, which does no harm: questions are
 * about nouns.
 */
const NAMES = /(?<=[\p{L}\p{N},;:'’"”)\]] )\p{Lu}[\p{L}'’-]+/gu

const namesIn = (text: string): ReadonlyArray<string> =>
  (text.match(NAMES) ?? []).filter((name) => !/^I['’]?/.test(name) || name.length > 4).flatMap(terms)

/**
 * What to search for to answer a message: its words, and with less weight those of the two messages before it if it has
 * few of its own. A short question ("how's she doing?") refers to what was just discussed, and names in that count
 * almost in full.
 */
export const recallQuery = (
  text: string,
  history: ReadonlyArray<Utterance>,
  { earlier, name, topic } = WEIGHTS
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
  if (topic > 0) add([...topicsAsked(text)].slice(0, MAX_TOPICS), topic)
  return Array.from(weights, ([term, weight]) => ({ term, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_TERMS)
}
