import type { Attribute, Topic } from "./Fact.ts"
import { NOUN, NOUN_PT } from "./topics.ts"

/** Pattern parts for a name and its owner. Each is a capturing group. */
export const NAME = String.raw`(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)`
export const SUBJECT = String.raw`(?:[a-z]+ )?(${NOUN})`
const TAIL = String.raw`(?= and |[,.!?;]| but | because | since | so |$)`
const WORDS = String.raw`([\p{L}\p{N}'’& -]{1,40}?)${TAIL}`

export interface Pattern {
  readonly attribute: Attribute
  readonly topic?: Topic
  readonly pattern: RegExp
  /** The capture groups of the subject and the value. Without a subject it is the person. */
  readonly subject?: number
  readonly value: number
}

/** What a first-person sentence says, by rule. */
export const PATTERNS: ReadonlyArray<Pattern> = [
  {
    attribute: "name",
    pattern: new RegExp(
      String.raw`\b(?:my name(?:'s| is)|(?:people |friends |everyone |please |just |you can ){0,4}calls? me|` +
        String.raw`i am called|i'm called) ${WORDS}`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "name",
    pattern: new RegExp(
      String.raw`^(?:[Hh]i|[Hh]ello|[Hh]ey)?[,! ]*(?:[Ii]'?m|[Ii] am) ${NAME}(?:,? (?:by the way|btw))?[.!]?$`,
      "u"
    ),
    value: 1
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(
      String.raw`\b(?:my|our) ${SUBJECT}(?:'s|’s|s)? (?:name is|name's|is called|is named|called|named) ${WORDS}`,
      "iu"
    ),
    value: 2
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(
      String.raw`\b(?:have|got|had|adopted|bought) (?:a |an |my |one |two |three )?(?:[a-z]+ )?${SUBJECT} ` +
        String.raw`(?:called|named) ${WORDS}`,
      "iu"
    ),
    value: 2
  },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\b[Mm]y ${SUBJECT},? ${NAME}`, "u"), value: 2 },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(String.raw`\b(?:my|our) ${SUBJECT} is ${NAME}[.!]?$`, "u"),
    value: 2
  },
  {
    attribute: "age",
    pattern:
      /\bi(?:'?m| am) (\d{1,2})(?: years old| yo)?(?=[,.! ]|$)(?! (?:minutes|hours|days|weeks|km|miles|percent))/iu,
    value: 1
  },
  { attribute: "age", pattern: /\bi(?:'ve)? (?:just )?(?:turned|turn) (\d{1,2})(?=[,.! ]|$)/iu, value: 1 },
  {
    attribute: "birthday",
    pattern: /\bmy birthday(?:'s| is) (?:on |in )?([\p{L}\p{N} ]{2,30}?)(?=[,.!]|$)/iu,
    value: 1
  },
  {
    attribute: "origin",
    topic: "home",
    pattern: new RegExp(String.raw`\bi(?:'?m| am| come) (?:originally )?from ${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "origin",
    topic: "home",
    pattern: new RegExp(String.raw`\bi (?:grew up|was born) in ${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "home",
    topic: "home",
    pattern: new RegExp(String.raw`\b(?:i|we) (?:live|am living|moved) (?:in|to) ${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "home",
    topic: "home",
    pattern: new RegExp(String.raw`\bi(?:'m| am) living in ${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "work",
    topic: "work",
    pattern: new RegExp(String.raw`\bi(?:'m| am)? work(?:ing)? (?:as |part[- ]time as )(?:an? )?${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "work",
    topic: "work",
    pattern: new RegExp(String.raw`\bi(?:'m| am)? work(?:ing)? (?:at|in|for) (?:an? )?${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "work",
    topic: "work",
    pattern: new RegExp(
      String.raw`\bi(?:'m| am) an? ((?:\p{L}+ ){0,2}(?:\p{L}+(?:er|or|ist|ian|eer|ant|yst)|nurse|chef|cook|` +
        String.raw`student|artist|lawyer|vet|pilot|clerk|judge|nanny|monk|farmhand|postman|dentist|architect))` +
        String.raw`(?= and |[,.!?;]| but | at | in | from |$)`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "study",
    topic: "work",
    pattern: new RegExp(String.raw`\bi(?:'m| am)? study(?:ing)? ${WORDS}`, "iu"),
    value: 1
  },
  {
    attribute: "favourite",
    topic: "like",
    subject: 1,
    pattern: /\bmy fav(?:ou?rite)? ([\p{L} ]{2,24}?) is ([\p{L}\p{N}'’ -]{1,40}?)(?= and |[,.!?;]| but | because |$)/iu,
    value: 2
  },
  {
    attribute: "like",
    topic: "like",
    pattern: new RegExp(
      String.raw`\bi (?:really |absolutely |just )?(?:like|love|enjoy|adore) ` +
        String.raw`(?!it|that|this|them|him|her|when|how|what|to know)${WORDS}`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "dislike",
    topic: "dislike",
    pattern: new RegExp(
      String.raw`\bi (?:really |absolutely |just )?(?:hate|dislike|can'?t stand|despise|don'?t like) ` +
        String.raw`(?!it|that|this|them|him|her|when|how|what|myself)${WORDS}`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(String.raw`(?:[Oo] meu|[Aa] minha) (${NOUN_PT}) (?:chama-se|é [oa]) ${NAME}`, "u"),
    value: 2
  },
  {
    attribute: "name",
    pattern: new RegExp(String.raw`(?:[Cc]hamo-me|[Oo] meu nome é|[Ee]u sou [oa]) ${NAME}`, "u"),
    value: 1
  },
  {
    attribute: "origin",
    topic: "home",
    pattern: new RegExp(String.raw`(?<!\p{L})[Ss]ou d[eoa] ${NAME}`, "u"),
    value: 1
  },
  {
    attribute: "home",
    topic: "home",
    pattern: new RegExp(String.raw`(?<!\p{L})(?:[Mm]oro|[Vv]ivo) (?:em|n[oa]) ${NAME}`, "u"),
    value: 1
  },
  {
    attribute: "doing",
    subject: 1,
    pattern: new RegExp(
      String.raw`\b[Mm]y ${SUBJECT}(?:,? ${NAME},?)? ((?:is|was|has|had|plays?|works?|lives?|loves?|likes?|` +
        String.raw`hates?|wants?|teaches|studies|sings?|runs?|makes?|eats?|sleeps?|barks?|keeps?|comes?|got|` +
        String.raw`went) [^.!?]{2,60})`,
      "u"
    ),
    value: 3
  }
]
