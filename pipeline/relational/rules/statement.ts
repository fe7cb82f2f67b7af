import type { Fact } from "./Fact.ts"
import { kin, NOUN, topicOf } from "./topics.ts"

/** What the person has, or what exists: a subject to ask about, even if nothing more is known about it. */
const HAVING = new RegExp(
  String.raw`\b(?:i|we)(?:['’]?ve|(?:['’]?ve)? (?:have|got|had|adopted|bought|own))(?: got)? (?:an? |my |one |` +
    String.raw`two |three )?` +
    String.raw`(?:[a-z]+ )?(${NOUN})\b`,
  "iu"
)
const MINE = new RegExp(String.raw`\b(?:my|our) (?:[a-z]+ )?(${NOUN})\b`, "iu")
const ANY_MINE = /\b(?:my|our) (?:new |old |little |big |favou?rite )?(\p{L}{3,20})\b/iu
const ANY_NOUN = new RegExp(String.raw`\b(${NOUN})\b`, "iu")
const ANY_HAVING =
  /\b(?:have|got|bought|adopted|own|there(?:'s| is)) an? (?:new |old |little |small |big )?(\p{L}{3,20})\b/iu
/** "First date on Friday": a short note about something of one's own, without a verb. */
export const NOTE = new RegExp(
  String.raw`^(?:(?!the |a )[\p{L}\p{N}'’]+ ){0,3}${NOUN}\b(?: [\p{L}\p{N}'’]+){1,5}[.!]?$`,
  "iu"
)

/** The sentence itself as a fact, with its subject. */
export const statement = (sentence: string, cursor: number): Fact => {
  const noun = kin(
    (HAVING.exec(sentence) ??
      MINE.exec(sentence) ??
      ANY_MINE.exec(sentence) ??
      ANY_HAVING.exec(sentence) ??
      (NOTE.test(sentence) ? ANY_NOUN.exec(sentence) : null))?.[1] ?? ""
  )
  return {
    subject: noun,
    attribute: "statement",
    topic: topicOf(noun),
    value: "",
    quote: sentence,
    text: sentence,
    cursor
  }
}
