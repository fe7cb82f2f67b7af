import type { Attribute, Topic } from "./Fact.ts"
import { NOUN, NOUN_DE, NOUN_ES, NOUN_PT } from "./topics.ts"

/** Pattern parts for a name and its owner. Each is a capturing group. */
export const NAME = String.raw`(\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+)?)`
export const SUBJECT = String.raw`(?:[a-z]+ )?(${NOUN})`
const TAIL = String.raw`(?= and |[,.!?;]| but | because | since | so |$)`
const WORDS = String.raw`([\p{L}\p{N}'’& -]{1,40}?)${TAIL}`

/** "his name is Samir", of someone of whom only "a date" was said. */
export const NAMED_BY_PRONOUN = /^(?:his|her|its|their) name(?:['’]s| is) \p{Lu}/u
/** "there's a heron. I call him Gustav" */
export const THERE_IS = /^there(?:['’]?s| is) an? (\p{Ll}{3,20})[.!]?$/iu
export const CALLED = /^(?:i|we) (?:just |always )?call (?:him|her|it) (\p{Lu}[\p{L}-]{1,20})[.!]?$/iu

/** How people give their own name. */
export const INTRODUCED = [
  /^this is (\p{L}{2,20})[.!]?$/iu,
  /^(\p{L}{2,20}) (?:here|hier)(?:[.,!]|$)/iu,
  new RegExp(
    String.raw`^(?:(?:please|just|everyone|people|friends|they|you can|you may|` +
      String.raw`all)[ ,]+){0,3}calls? me (\p{L}[\p{L}'’-]{0,20})(?=[^\p{L}\s'’-]|\s*$| (?:because|cause|but|` +
      String.raw`and|since|for|please|btw|by|lol|if|or|so|here)\b)`,
    "iu"
  )
]

const OWN_NAME = new RegExp(
  String.raw`^(?:i['’]?m|i am|my name(?:['’]?s| is)|ich bin(?: der| die)?|ich heiße|chamo-me|me chamo|me llamo|` +
    String.raw`(?:eu )?sou [oa]|(?:yo )?soy) (\p{L}{2,20})(?: btw| by the way)?[.! ]*$`,
  "iu"
)
const ADJECTIVE = new RegExp(
  String.raw`(?:\p{L}{3}ed|ing|ish|ous|ful|less|able|less)$|^(?:dizzy|groggy|cranky|needy|clingy|chatty|clumsy|` +
    String.raw`hangry|` +
    String.raw`queasy|sweaty|antsy|edgy|numb|broke|stuck|sore|done|torn|shook|worn|beat|spent|free|early|home|alive|` +
    String.raw`proud|sad|mad|off|out|in|up|down)$`,
  "iu"
)
/** "im lena", and not "im gutted". */
export const givesOwnName = (sentence: string): boolean => {
  const name = OWN_NAME.exec(sentence)?.[1]
  return name !== undefined && !ADJECTIVE.test(name)
}

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
      String.raw`\b(?:have|got|had|adopted|bought|(?:i|we)['’]?ve) (?:a |an |my |one |two |` +
        String.raw`three )?(?:[a-z]+ )?${SUBJECT} ` +
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
    attribute: "name",
    pattern: new RegExp(
      String.raw`^(?:ich bin (?:der |die )?|ich heiße |(?:eu )?sou [oa] |me chamo |chamo-me |me llamo |(?:yo )?soy )` +
        String.raw`(\p{L}{2,20})[.! ]*$`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "name",
    pattern: /^(?:this is |it['’]s )?(\p{Lu}\p{L}{1,20})(?: here)?[.!]?(?:,? (?:she\/her|he\/him|they\/them).*)?$/u,
    value: 1
  },
  { attribute: "name", pattern: /^(?:this is )?(\p{L}{2,20}) (?:here|hier)(?![\p{L}]) ?[.!,]?/iu, value: 1 },
  { attribute: "name", pattern: /^this is (\p{L}{2,20})[.!]?$/iu, value: 1 },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(
      String.raw`(?<!\p{L})(?:mein|meine|unser|unsere|der|die) (${NOUN_DE}) (?:heißt|heisst) ${WORDS}`,
      "iu"
    ),
    value: 2
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(String.raw`(?<!\p{L})(?:o meu|a minha|meu|minha|o|a) (${NOUN_PT}) chama-se ${WORDS}`, "iu"),
    value: 2
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(String.raw`(?<!\p{L})(?:mi|el|la|nuestro|nuestra) (${NOUN_ES}) se llama ${WORDS}`, "iu"),
    value: 2
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(
      String.raw`\bthe ${SUBJECT}(?:'s|’s|s)? (?:name is|name's|is called|is named|called|named) ${WORDS}`,
      "iu"
    ),
    value: 2
  },
  {
    attribute: "home",
    topic: "home",
    pattern: new RegExp(
      String.raw`(?<!\p{L})(?:ich )?(?:wohne|lebe)(?: ich)?(?: jetzt| gerade| seit \p{L}+)? in ${WORDS}`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "home",
    topic: "home",
    pattern: new RegExp(String.raw`(?<!\p{L})(?:mudei-me para|vivo en|vivo em|moro em|me mudé a) ${WORDS}`, "iu"),
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
