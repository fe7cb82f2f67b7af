import { memoize } from "#pipeline/memoize.ts"
import { TOPICS } from "./topicPatterns.ts"
import { wording } from "./wording.ts"

const PATTERNS = Object.entries(TOPICS).map(([topic, words]): readonly [string, RegExp] => [
  topic,
  new RegExp(String.raw`\b(?:${words})`)
])

/** "you ever get bored", "you scared of anything" */
const SHORT_DO = /^you (?=(?:ever|got|get|like|have) )/
const SHORT_ARE = /^you (?=(?:afraid|married|single|religious|lonely|close|happy) ?)/

/** Longer questions are read at their beginning. */
const READ_CHARS = 300
const MAX_TEXTS = 4000

/** The topics that a question asks for, of a closed set. Linear in the length of the text, which is cut at 300. */
export const topicsAskedIn = memoize(MAX_TEXTS, (text: string): ReadonlySet<string> => {
  const words = wording(text.slice(0, READ_CHARS)).replace(SHORT_DO, "do you ").replace(SHORT_ARE, "are you ")
  return new Set(PATTERNS.flatMap(([topic, pattern]) => (pattern.test(words) ? [topic] : [])))
})
