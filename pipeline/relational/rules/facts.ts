import type { Utterance } from "../../retrieval/Transcript.ts"
import { hasWhole } from "../../wholeWords.ts"
import type { Attribute, Fact, Topic } from "./Fact.ts"
import { isQuestion } from "./questions.ts"
import { kin, NOUN, NOUN_PT, topicOf } from "./topics.ts"

/**
 * What the person has said of themselves, read from their messages by rule. Every sentence in the first person is a
 * fact; where a pattern knows more of it, so is what it says. Values are short and plain: they come back in the
 * character's mouth.
 */

const SENTENCES =
  /(?<=[.!?…;])\s+|\n+|,\s+(?=(?:and |but )?i(?:'?m|'?ve)? )|(?<!\s)\s+(?:and|but)\s+(?=(?:i(?:'?m|'?ve)?|my|we|her name|his name|she'?s called|he'?s called) )/i
const FIRST_PERSON =
  /\b(?:i|i'?m|i'?ve|i'd|i'll|my|we|we're|we've|our)\b|(?<!\p{L})(?:eu|meus?|minhas?|chamo-me|sou|moro|vivo|tenho|gosto|adoro|trabalho)(?!\p{L})/iu
const CALL_ME = /^\W*(?:(?:please|just|and|but|so|everyone|people|friends|you can|you may),? )*calls? me \p{L}/iu
const ADDRESSED = /\b(?:you|your|yours|u|ur)\b/i
/** Nobody tells more of themselves at once than the rules should read. */
const READ_CHARS = 1000
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
  {
    attribute: "name",
    pattern: new RegExp(
      String.raw`\b(?:my name(?:'s| is)|(?:people |friends |everyone |please |just |you can ){0,4}calls? me|i am called|i'm called) ${WORDS}`,
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
      String.raw`\b(?:have|got|had|adopted|bought) (?:a |an |my |one |two |three )?(?:[a-z]+ )?${SUBJECT} (?:called|named) ${WORDS}`,
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
    pattern:
      /\bi(?:'m| am) an? ((?:\p{L}+ ){0,2}(?:\p{L}+(?:er|or|ist|ian|eer|ant|yst)|nurse|chef|cook|student|artist|lawyer|vet|pilot|clerk|judge|nanny|monk|farmhand|postman|dentist|architect))(?= and |[,.!?;]| but | at | in | from |$)/iu,
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
      String.raw`\bi (?:really |absolutely |just )?(?:like|love|enjoy|adore) (?!it|that|this|them|him|her|when|how|what|to know)${WORDS}`,
      "iu"
    ),
    value: 1
  },
  {
    attribute: "dislike",
    topic: "dislike",
    pattern: new RegExp(
      String.raw`\bi (?:really |absolutely |just )?(?:hate|dislike|can'?t stand|despise|don'?t like) (?!it|that|this|them|him|her|when|how|what|myself)${WORDS}`,
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
      String.raw`\b[Mm]y ${SUBJECT}(?:,? ${NAME},?)? ((?:is|was|has|had|plays?|works?|lives?|loves?|likes?|hates?|wants?|teaches|studies|sings?|runs?|makes?|eats?|sleeps?|barks?|keeps?|comes?|got|went) [^.!?]{2,60})`,
      "u"
    ),
    value: 3
  }
]

/** What the person has, or what there is: a subject to ask after, though nothing more is known of it. */
const HAVING = new RegExp(
  String.raw`\b(?:i|we)(?:'ve)? (?:have|got|had|adopted|bought|own)(?: got)? (?:an? |my |one |two |three )?(?:[a-z]+ )?(${NOUN})\b`,
  "iu"
)
const MINE = new RegExp(String.raw`\b(?:my|our) (?:[a-z]+ )?(${NOUN})\b`, "iu")
const ANY_MINE = /\b(?:my|our) (?:new |old |little |big |favou?rite )?(\p{L}{3,20})\b/iu
const ANY_NOUN = new RegExp(String.raw`\b(${NOUN})\b`, "iu")
const ANY_HAVING =
  /\b(?:have|got|bought|adopted|own|there(?:'s| is)) an? (?:new |old |little |small |big )?(\p{L}{3,20})\b/iu

const PRONOUN_NAME = new RegExp(
  String.raw`^\W*(?:(?:she|he|it|they)(?:'s| is| are| was)(?: called| named)?|(?:her|his|its|their) name(?:'s| is| was)|i (?:call|named|call) (?:him|her|it|them)) ${NAME}[.!]?$`,
  "iu"
)
const ASKED_FOR_NAME = /\b(?:called|call|name|named)\b[^.!?]{0,100}\?\s*$/i
const SHORT_NAME = /^[^\p{L}\p{N}]*(?:it'?s |she'?s |he'?s )?(\p{L}[\p{L}'’-]{0,60}\p{L})[^\p{L}\p{N}]*$/u
const CAPITALISED = /^\p{Lu}/u
const NO_NAME =
  /^(?:yes|no|ok|okay|why|what|nothing|none|sure|well|hi|hey|hello|bye|thanks|who|maybe|guess|secret|lol|haha|true|right|really|cool|nice)$/i

/** "My dog isn't called Rex": what was taken for a name is none. */
const NOT_NAMED = new RegExp(
  String.raw`\b(?:my|our) (?:name|${SUBJECT}(?:'s name)?) (?:isn't|isnt|is not|was not|wasn't)(?: called| named)? (\p{L}[\p{L}'-]*)`,
  "iu"
)

/** "Mine is Jonas", after the person asked for the character's. */
const MINE_IS = /^(?:and )?(?:mine(?:'s| is)|i'?m called) (?:the |an? )?([\p{L}\p{N}'’ -]{1,40})[.!]?$/iu
const ASKED_YOURS = /\byour (?:(name)|fav(?:ou?rite)? ([\p{L} ]{2,24}?))\W*$/iu
/** "At a bakery", after the person told of work. */
const WHERE_OR_AS = /^(?:at|in|for|as) (?:an? |the )?([\p{L}\p{N}'’& -]{2,40})[.!]?$/iu
/** "First date on Friday": a few words about something of one's own, without a verb. */
const NOTE = new RegExp(String.raw`^(?:(?!the |a )[\p{L}\p{N}'’]+ ){0,3}${NOUN}\b(?: [\p{L}\p{N}'’]+){1,5}[.!]?$`, "iu")
const THIRD_PERSON = /^(?:he|she|it|they|his|her|their|its)(?:'s|'re)?\s+\p{L}+/iu

const quotable = (sentence: string): boolean => sentence.length <= MOST_QUOTE_CHARS && !UNQUOTABLE.test(sentence)
const plain = (value: string): boolean => value.length <= MOST_VALUE_CHARS && PLAIN.test(value)

const told = (sentence: string, cursor: number): ReadonlyArray<Fact> =>
  PATTERNS.flatMap(({ attribute, topic, pattern, subject, value }) => {
    const match = pattern.exec(sentence)
    const said = match?.[value]?.trim() ?? ""
    if (match === null || said === "" || !(attribute === "doing" ? said.length <= 70 : plain(said))) return []
    const of = subject === undefined ? "" : kin(match[subject] ?? "")
    return [
      {
        subject: of,
        attribute,
        topic: topic ?? (of === "" ? "other" : topicOf(of)),
        value: said,
        quote: sentence,
        cursor
      }
    ]
  })

const statement = (sentence: string, cursor: number): Fact => {
  const noun = kin(
    (
      HAVING.exec(sentence) ??
      MINE.exec(sentence) ??
      ANY_MINE.exec(sentence) ??
      ANY_HAVING.exec(sentence) ??
      (NOTE.test(sentence) ? ANY_NOUN.exec(sentence) : null)
    )?.[1] ?? ""
  )
  return { subject: noun, attribute: "statement", topic: topicOf(noun), value: "", quote: sentence, cursor }
}

/** Reads messages in their order; what a short one means depends on what was asked before it. */
class Reader {
  readonly facts: Array<Fact> = []
  #askedByCharacter = ""
  #askedByPerson = ""
  /** What a pronoun would mean. */
  #last: Fact | undefined

  read({ role, text: whole, cursor }: Utterance): void {
    const text = whole.slice(0, READ_CHARS)
    if (role === "character") {
      this.#askedByCharacter = whole.slice(-READ_CHARS)
      return
    }
    for (const sentence of text.split(SENTENCES).map((part) => part.trim())) {
      if (sentence !== "" && quotable(sentence) && !isQuestion(sentence)) this.#take(sentence, cursor)
    }
    if (isQuestion(text)) this.#askedByPerson = text
  }

  #take(sentence: string, cursor: number): void {
    const denied = NOT_NAMED.exec(sentence.replaceAll("’", "'"))
    if (denied !== null) {
      this.#unname(kin(denied[1] ?? ""), denied[2] ?? "")
      return
    }
    const short = this.#short(sentence, cursor)
    if (short !== undefined) {
      this.facts.push(short)
    } else if (
      (FIRST_PERSON.test(sentence) && !ADDRESSED.test(sentence)) ||
      CALL_ME.test(sentence) ||
      THIRD_PERSON.test(sentence) ||
      NOTE.test(sentence) ||
      this.#speaksOfSomeone(sentence)
    ) {
      const more = told(sentence, cursor)
      const said = statement(sentence, cursor)
      const whole =
        said.subject === "" && THIRD_PERSON.test(sentence) && this.#last !== undefined
          ? { ...said, subject: this.#last.subject }
          : said
      this.facts.push(...more, whole)
      this.#last =
        [...more, whole].find(({ topic }) => topic !== "other") ?? (whole.subject === "" ? this.#last : whole)
    } else {
      const { subject } = statement(sentence, cursor)
      if (subject !== "") this.#last = statement(sentence, cursor)
    }
  }

  /** A message that says little by itself: a name, "mine is green", "at a bakery". */
  #short(sentence: string, cursor: number): Fact | undefined {
    const last = this.#last
    const bare = SHORT_NAME.exec(sentence)?.[1] ?? ""
    const expected =
      ASKED_FOR_NAME.test(this.#askedByCharacter) ||
      (last?.topic === "pet" && !this.#isNamed(last.subject) && CAPITALISED.test(bare))
    const named = PRONOUN_NAME.exec(sentence)?.[1] ?? (expected ? bare : "")
    if (named !== "" && last !== undefined && last.subject !== "" && CAPITALISED.test(named) && !NO_NAME.test(named)) {
      return { ...last, attribute: "name", value: named, quote: sentence, cursor }
    }
    const mine = MINE_IS.exec(sentence)?.[1]
    const yours = ASKED_YOURS.exec(this.#askedByPerson)
    if (mine !== undefined && yours !== null && plain(mine)) {
      return yours[1] === undefined
        ? {
            subject: yours[2] ?? "",
            attribute: "favourite",
            topic: "like",
            value: mine,
            quote: `my favourite ${yours[2] ?? ""} is ${mine}`,
            cursor
          }
        : { subject: "", attribute: "name", topic: "other", value: mine, quote: `my name is ${mine}`, cursor }
    }
    const place = last?.topic === "work" ? WHERE_OR_AS.exec(sentence)?.[1] : undefined
    return place === undefined
      ? undefined
      : { subject: "", attribute: "work", topic: "work", value: place, quote: sentence, cursor }
  }

  /** Forgets a name, and the sentences that give it. */
  #unname(subject: string, name: string): void {
    const kept = this.facts.filter(
      (fact) =>
        !(
          hasWhole(fact.quote.toLowerCase(), name.toLowerCase()) &&
          (fact.subject === subject || (subject === "" && fact.subject === "name"))
        )
    )
    this.facts.splice(0, this.facts.length, ...kept)
  }

  #isNamed(subject: string): boolean {
    return this.facts.some((fact) => fact.attribute === "name" && fact.subject === subject)
  }

  #speaksOfSomeone(sentence: string): boolean {
    return this.facts.some(
      ({ attribute, subject, value }) => attribute === "name" && subject !== "" && sentence.startsWith(`${value} `)
    )
  }
}

/** All facts of a conversation, oldest first. A later one outranks an earlier one of the same thing. */
export const factsIn = (utterances: ReadonlyArray<Utterance>): ReadonlyArray<Fact> => {
  const reader = new Reader()
  for (const utterance of utterances) reader.read(utterance)
  return reader.facts
}
