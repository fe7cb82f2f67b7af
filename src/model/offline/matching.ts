import { bm25 } from "#pipeline/retrieval/bm25.ts"
import { isQuestion } from "#pipeline/relational/rules/questions.ts"
import { content, wording } from "./wording.ts"

export interface Match<A> {
  readonly item: A
  /** 0 to 1. 1 only for identical words. */
  readonly score: number
}

export interface Matcher<A> {
  /** The items whose text is similar to the query, best first. The earlier item wins a tie. */
  readonly like: (query: string) => ReadonlyArray<Match<A>>
}

interface Entry<A> {
  readonly item: A
  readonly wording: string
  readonly content: string
  readonly contentWords: ReadonlyArray<string>
  readonly asks: boolean
}

const OF_CONTENT = 0.7
/** Penalty if the text also mentions other things. */
const OF_ITS_OWN = 0.4
const OTHER_FORM = 0.45
const MOST = 12
/** Only identical words score 1. */
const NEXT_TO_SAME = 0.99

const lengthsAlike = (a: string, b: string): number => {
  const [short = 0, long = 1] = [a.split(" ").length, b.split(" ").length].sort((x, y) => x - y)
  return short / long
}

/** Finds texts by meaning more than by wording. Built once and searched often. */
export const matcher = <A>(items: ReadonlyArray<A>, textOf: (item: A) => string): Matcher<A> => {
  const entries = items.map((item): Entry<A> => {
    const text = textOf(item)
    const told = content(text)
    return { item, wording: wording(text), content: told, contentWords: told.split(" "), asks: isQuestion(text) }
  })
  const byWording = bm25(entries, (entry) => entry.wording)
  const byContent = bm25(entries, (entry) => entry.content)

  const like = (query: string): ReadonlyArray<Match<A>> => {
    const asked = wording(query)
    const told = content(query)
    const tellingWords = new Set(told.split(" "))
    const asks = isQuestion(query)
    const ofWording = new Map(byWording.search(asked).map(({ item, score }) => [item, score]))
    const ofContent = new Map(byContent.search(told).map(({ item, score }) => [item, score]))
    const alike = (entry: Entry<A>): number => {
      const words = ofWording.get(entry) ?? 0
      if (told === "" || entry.content === "")
        return told === entry.content ? words * lengthsAlike(asked, entry.wording) : 0
      const share = ofContent.get(entry)
      if (share === undefined) return 0
      const covered = entry.contentWords.filter((word) => tellingWords.has(word)).length / entry.contentWords.length
      return (OF_CONTENT * share + (1 - OF_CONTENT) * words) * (1 - OF_ITS_OWN * (1 - covered))
    }
    return [...new Set([...ofWording.keys(), ...ofContent.keys()])]
      .map((entry) => ({
        item: entry.item,
        score:
          entry.wording === asked ? 1 : Math.min(NEXT_TO_SAME, alike(entry)) * (entry.asks === asks ? 1 : OTHER_FORM)
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, MOST)
  }
  return { like }
}

const CLAUSES = /(?<=[.!?…,;])\s+|\n+/
const MAX_CLAUSES = 6
/** A shorter clause says too little. */
const FEWEST_WORDS = 2
/** What stands around a clause may change what it asks. */
const OF_CLAUSE = 0.9

/** The items similar to the text, or to one of its first clauses if `each` is set, best first. */
export const likeEachClause = <A>(matcher: Matcher<A>, text: string, each: boolean): ReadonlyArray<Match<A>> => {
  const whole = matcher.like(text)
  const clauses = each ? text.split(CLAUSES, MAX_CLAUSES) : []
  if (clauses.length < 2) return whole
  const best = new Map(whole.map(({ item, score }) => [item, score]))
  for (const { item, score } of clauses
    .filter((clause) => clause.split(" ").length >= FEWEST_WORDS)
    .flatMap(matcher.like))
    best.set(item, Math.max(best.get(item) ?? 0, OF_CLAUSE * score))
  return [...best].map(([item, score]) => ({ item, score })).sort((a, b) => b.score - a.score)
}
