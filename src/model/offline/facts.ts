import type { Utterance } from "#pipeline/retrieval/Transcript.ts"
import type { Attribute, Fact, Topic } from "./Fact.ts"
import { isQuestion } from "./questions.ts"
import { NOUN, topicOf } from "./topics.ts"

/**
 * What the person has said of themselves, read from their messages by rule. Every sentence in the first person is a fact;
 * where a pattern knows more of it, so is what it says. Values are short and plain: they come back in the character's mouth.
 */

const SENTENCES = /(?<=[.!?…;])\s+|\n+|,\s+(?=(?:and |but )?i(?:'?m|'?ve)? )|\s+(?:and|but)\s+(?=(?:i(?:'?m|'?ve)?|my|we|her name|his name|she'?s called|he'?s called) )/i
const FIRST_PERSON = /\b(?:i|i'?m|i'?ve|i'?d|i'?ll|my|we|we'?re|we'?ve|our)\b/i
const ADDRESSED = /\b(?:you|your|yours|u|ur)\b/i
const MOST_QUOTE_CHARS = 140
const MOST_VALUE_CHARS = 40
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’&.-]*$/u
const UNQUOTABLE = /[<>{}[\]|\\@#*_`"“”]|:\/\/|www\./

const NAME = String.raw`(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)`
const SUBJECT = String.raw`(?:[a-z]+ )?(${NOUN})`
const TAIL = String.raw`(?= and |[,.!?;]| but | because | since | so |$)`
const WORDS = String.raw`([\p{L}\p{N}'’& -]{1,40}?)${TAIL}`

interface Pattern {
  readonly attribute: Attribute
  readonly topic?: Topic
  readonly pattern: RegExp
  /** Where in the match the subject and the value stand; no subject is the person. */
  readonly subject?: number
  readonly value: number
}

const PATTERNS: ReadonlyArray<Pattern> = [
  { attribute: "name", pattern: new RegExp(String.raw`\b(?:my name(?:'s| is)|(?:people |friends |everyone |please |just |you can )*calls? me|i am called|i'm called) ${WORDS}`, "iu"), value: 1 },
  { attribute: "name", pattern: new RegExp(String.raw`^(?:[Hh]i|[Hh]ello|[Hh]ey)?[,! ]*(?:[Ii]'?m|[Ii] am) ${NAME}[.!]?$`, "u"), value: 1 },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\b(?:my|our) ${SUBJECT}(?:'s|’s|s)? (?:name is|name's|is called|is named|called|named) ${WORDS}`, "iu"), value: 2 },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\b(?:have|got|had|adopted|bought) (?:a |an |my |one |two |three )?(?:[a-z]+ )?${SUBJECT} (?:called|named) ${WORDS}`, "iu"), value: 2 },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\b[Mm]y ${SUBJECT},? ${NAME}`, "u"), value: 2 },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\b(?:my|our) ${SUBJECT} is ${NAME}[.!]?$`, "u"), value: 2 },
  { attribute: "age", pattern: /\bi(?:'?m| am) (\d{1,2})(?: years old| yo)?(?=[,.! ]|$)(?! (?:minutes|hours|days|weeks|km|miles|percent))/iu, value: 1 },
  { attribute: "birthday", pattern: /\bmy birthday(?:'s| is) (?:on |in )?([\p{L}\p{N} ]{2,30}?)(?=[,.!]|$)/iu, value: 1 },
  { attribute: "origin", topic: "home", pattern: new RegExp(String.raw`\bi(?:'?m| am| come) (?:originally )?from ${WORDS}`, "iu"), value: 1 },
  { attribute: "origin", topic: "home", pattern: new RegExp(String.raw`\bi (?:grew up|was born) in ${WORDS}`, "iu"), value: 1 },
  { attribute: "home", topic: "home", pattern: new RegExp(String.raw`\b(?:i|we) (?:live|am living|moved) (?:in|to) ${WORDS}`, "iu"), value: 1 },
  { attribute: "home", topic: "home", pattern: new RegExp(String.raw`\bi(?:'m| am) living in ${WORDS}`, "iu"), value: 1 },
  { attribute: "work", topic: "work", pattern: new RegExp(String.raw`\bi(?:'m| am)? work(?:ing)? (?:as |part[- ]time as )(?:an? )?${WORDS}`, "iu"), value: 1 },
  { attribute: "work", topic: "work", pattern: new RegExp(String.raw`\bi(?:'m| am)? work(?:ing)? (?:at|in|for) (?:an? )?${WORDS}`, "iu"), value: 1 },
  { attribute: "work", topic: "work", pattern: /\bi(?:'m| am) an? ((?:\p{L}+ ){0,2}(?:\p{L}+(?:er|or|ist|ian|eer|ant|yst)|nurse|chef|cook|student|artist|lawyer|vet|pilot|clerk|judge|nanny|monk|farmhand|postman|dentist|architect))(?= and |[,.!?;]| but | at | in | from |$)/iu, value: 1 },
  { attribute: "study", topic: "work", pattern: new RegExp(String.raw`\bi(?:'m| am)? study(?:ing)? ${WORDS}`, "iu"), value: 1 },
  { attribute: "favourite", topic: "like", subject: 1, pattern: /\bmy fav(?:ou?rite)? ([\p{L} ]{2,24}?) is (?:the )?([\p{L}\p{N}'’ -]{1,40}?)(?= and |[,.!?;]| but | because |$)/iu, value: 2 },
  { attribute: "like", topic: "like", pattern: new RegExp(String.raw`\bi (?:really |absolutely |just )?(?:like|love|enjoy|adore) (?!it|that|this|them|him|her|when|how|what|to know)${WORDS}`, "iu"), value: 1 },
  { attribute: "dislike", topic: "dislike", pattern: new RegExp(String.raw`\bi (?:really |absolutely |just )?(?:hate|dislike|can'?t stand|despise|don'?t like) (?!it|that|this|them|him|her|when|how|what|myself)${WORDS}`, "iu"), value: 1 },
  { attribute: "doing", subject: 1, pattern: new RegExp(String.raw`\b[Mm]y ${SUBJECT}(?:,? ${NAME},?)? ((?:is|was|has|had|plays?|works?|lives?|loves?|likes?|hates?|wants?|teaches|studies|sings?|runs?|makes?|eats?|sleeps?|barks?|keeps?|comes?|got|went) [^.!?]{2,60})`, "u"), value: 3 }
]

/** What the person has, is about to do or has done: a subject to ask after, though nothing more is known of it. */
const HAVING = new RegExp(String.raw`\b(?:i|we)(?:'ve)? (?:have|got|had|adopted|bought)(?: got)? (?:an? |my |one |two |three )?(?:[a-z]+ )?(${NOUN})\b`, "iu")
const MINE = new RegExp(String.raw`\b(?:my|our) (?:[a-z]+ )?(${NOUN})\b`, "iu")
const ANY_MINE = /\b(?:my|our) ([\p{L}]{3,20})\b/iu
const PRONOUN_NAME = new RegExp(String.raw`^\W*(?:(?:she|he|it|they)(?:'s| is| are)(?: called| named)?|(?:her|his|its|their) name(?:'s| is)) ${NAME}[.!]?$`, "u")
const ASKED_FOR_NAME = /\b(?:called|name|named)\b[^.!?]*\?\s*$/i
const SHORT_NAME = /^\W*(?:it'?s |she'?s |he'?s )?(\p{L}[\p{L}'’-]+)\W*$/u
const NO_NAME = /^(?:yes|no|ok|okay|why|what|nothing|none|sure|well|hi|hey|hello|bye|thanks|who|maybe|guess|secret)$/i

const quotable = (sentence: string): boolean => sentence.length <= MOST_QUOTE_CHARS && !UNQUOTABLE.test(sentence)
const plain = (value: string): boolean => value.length <= MOST_VALUE_CHARS && PLAIN.test(value)
const singular = (noun: string): string => noun.toLowerCase().replace(/^(mum|mom|mama)$/, "mother").replace(/^(dad|papa)$/, "father").replace(/^(grandma|granny|nan)$/, "grandmother").replace(/^(grandpa|grandad)$/, "grandfather")

const known = (sentence: string, cursor: number): ReadonlyArray<Fact> =>
  PATTERNS.flatMap(({ attribute, topic, pattern, subject, value }) => {
    const match = pattern.exec(sentence)
    const said = match?.[value]?.trim() ?? ""
    if (match === null || said === "" || !(attribute === "doing" ? said.length <= 70 : plain(said))) return []
    const of = subject === undefined ? "" : singular(match[subject] ?? "")
    return [{ subject: of, attribute, topic: topic ?? (of === "" ? "other" : topicOf(of)), value: said, quote: sentence, cursor }]
  })

const statement = (sentence: string, cursor: number): Fact => {
  const noun = singular(HAVING.exec(sentence)?.[1] ?? MINE.exec(sentence)?.[1] ?? ANY_MINE.exec(sentence)?.[1] ?? "")
  return { subject: noun, attribute: "statement", topic: topicOf(noun), value: "", quote: sentence, cursor }
}

/** All facts of a conversation, oldest first. A later one outranks an earlier one of the same thing. */
export const factsIn = (utterances: ReadonlyArray<Utterance>): ReadonlyArray<Fact> => {
  const facts: Array<Fact> = []
  let asked = ""
  let last: Fact | undefined
  for (const { role, text, cursor } of utterances) {
    if (role === "character") {
      asked = text
      continue
    }
    for (const sentence of text.split(SENTENCES).map((part) => part.trim())) {
      if (sentence === "" || isQuestion(sentence) || !quotable(sentence)) continue
      const named = PRONOUN_NAME.exec(sentence)?.[1] ?? (ASKED_FOR_NAME.test(asked) ? SHORT_NAME.exec(sentence)?.[1] : undefined)
      if (named !== undefined && last !== undefined && last.subject !== "" && !NO_NAME.test(named)) {
        facts.push({ ...last, attribute: "name", value: named, quote: sentence, cursor })
      } else if (FIRST_PERSON.test(sentence) && !ADDRESSED.test(sentence)) {
        const more = known(sentence, cursor)
        facts.push(...more, statement(sentence, cursor))
        last = [...more, ...facts.slice(-1)].find(({ topic }) => topic === "pet" || topic === "person") ?? last
      }
    }
  }
  return facts
}
