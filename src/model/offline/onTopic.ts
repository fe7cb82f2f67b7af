import type { Act } from "#pipeline/relational/rules/acts.ts"
import type { Conversation } from "./Conversation.ts"
import { weightForOthers } from "./mentioned.ts"

const ASKS: ReadonlySet<Act> = new Set(["question_self", "question_world", "question_past", "command", "advice"])
/** "nobody needs a lighthouse" asks without the form of a question. A longer message says something else. */
const LOOSELY_ASKS: ReadonlySet<Act> = new Set(["remark", "disclosure"])
const MAX_LOOSE_CHARS = 80
const YOU = /\b(?:you|your|u|ur|ya)\b/i

const ABOUT_THEMSELVES = /\b(?:i|my|me|we|our|im|ive)\b|(?<!\p{L})(?:eu|meus?|minhas?|ich|mein|meine|mi|yo)(?!\p{L})/iu

const FITS = 0.52
/** Bonus if the example asks for the same and nothing else. */
const SAME_TOPICS_MORE = 0.25
/** Bonus for shared words. */
const WORDS_MORE = 0.2

/**
 * The answers of examples that ask for the same as the message, in other words. `topics`: what the message asks for, by
 * `topicsAskedIn`.
 */
export const onTopic = (
  { text, act, repertoire }: Conversation,
  topics: ReadonlySet<string>
): ReadonlyArray<{ readonly line: string; readonly score: number }> => {
  const asks =
    ASKS.has(act) ||
    (LOOSELY_ASKS.has(act) && text.length <= MAX_LOOSE_CHARS && (YOU.test(text) || !ABOUT_THEMSELVES.test(text)))
  // "where do i live" is not answered with where the character lives.
  if (topics.size === 0 || !asks || (act === "question_past" && !YOU.test(text))) return []
  const alike = new Map(repertoire.examples.like(text).map(({ item, score }) => [item, score]))
  return repertoire.openings.flatMap((exchange) => {
    const shared = [...topics].filter((topic) => exchange.topics.has(topic)).length
    if (shared === 0) return []
    const weight = ASKS.has(act) ? weightForOthers(text, exchange.user) : 1
    const score =
      FITS +
      (SAME_TOPICS_MORE * shared) / (topics.size + exchange.topics.size - shared) +
      WORDS_MORE * (alike.get(exchange) ?? 0)
    return [{ line: exchange.character, score: score * weight }]
  })
}
