import { tellingWords } from "../relational/rules/notFacts.ts"
import type { QueryTerm } from "./recallQuery.ts"
import { terms } from "./terms.ts"
import { wordsMatch } from "./wordsMatch.ts"

/** From how many of the best results a search is expanded, and by how many words. */
const EXPANDED_FROM = 3
const MAX_NEW_TERMS = 8
const READ_CHARS = 400
const NAME_WEIGHT = 0.5
const WORD_WEIGHT = 0.2
const MIN_WORD_CHARS = 5
const NAMES = /(?<=[\p{L}\p{N},;:'’"”)\]] )\p{Lu}[\p{L}'’-]+/gu

/**
 * The search with the names and the telling words of its best results. A question whose answer takes two steps ("where
 * does my sister's husband work?") finds the second step by what the first one names. Once: what the second search
 * finds is not expanded again.
 */
export const expanded = (
  query: ReadonlyArray<QueryTerm>,
  best: ReadonlyArray<{ readonly text: string }>
): ReadonlyArray<QueryTerm> => {
  const known = query.map(({ term }) => term)
  const found = new Map<string, number>()
  const add = (words: ReadonlyArray<string>, weight: number) => {
    for (const word of words)
      if (!known.some((term) => wordsMatch(term, word))) found.set(word, Math.max(weight, found.get(word) ?? 0))
  }
  for (const { text } of best.slice(0, EXPANDED_FROM)) {
    const read = text.slice(0, READ_CHARS)
    add((read.match(NAMES) ?? []).filter((name) => !/^I['’]?/.test(name)).flatMap(terms), NAME_WEIGHT)
    add(
      tellingWords(read).filter((word) => word.length >= MIN_WORD_CHARS),
      WORD_WEIGHT
    )
  }
  const added = Array.from(found, ([term, weight]) => ({ term, weight }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_NEW_TERMS)
  return [...query, ...added]
}
