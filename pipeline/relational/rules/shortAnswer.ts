import type { Fact } from "./Fact.ts"
import { NAME } from "./factPatterns.ts"
import { tellingWords } from "./notFacts.ts"
import { isPlainValue } from "./toldFacts.ts"

const PRONOUN_NAME = new RegExp(
  String.raw`^\W*(?:(?:she|he|it|they)(?:'s| is| are| was)(?: called| named)?|` +
    String.raw`(?:her|his|its|their) name(?:'?s| is| was)|(?:el[ea] )?(?:chama-se|se chama)|(?:er|sie) heißt|` +
    String.raw`(?:se )?llama|i (?:call|named|call) (?:him|her|it|them)) ${NAME}[.!]?$`,
  "iu"
)
const ASKED_FOR_NAME = new RegExp(
  String.raw`\b(?:called|call|name|named|address)\b[^.!?]{0,100}\?\s{0,9}$|` +
    String.raw`\bwhat['’]?s your [^.!?]{2,40} called\b|(?:se chama|o nome)\b`,
  "iu"
)
/** Words that only come before a name. "is called jan" needs no capital. */
const NAMES = /\b(?:called|named|name|call)\b|(?<!\p{L})(?:chama|heißt|llama)(?!\p{L})/iu
const SHORT_NAME = new RegExp(
  String.raw`^[^\p{L}\p{N}]{0,20}(?:(?:lol|haha|oh|well|just|its|it['’]s|she['’]?s|he['’]?s),? ){0,2}` +
    String.raw`(\p{L}[\p{L}'’-]{0,60}\p{L})[^\p{L}\p{N}]{0,20}$`,
  "u"
)
const CAPITALISED = /^\p{Lu}/u
const NO_NAME = new RegExp(
  "^(?:yes|no|ok|okay|why|what|nothing|none|sure|well|hi|hey|hello|bye|thanks|who|maybe|guess|secret|lol|haha|" +
    "true|right|really|cool|nice)$",
  "i"
)

/** "Mine is Jonas", after the person asked for the character's name. */
const MINE_IS = /^(?:and )?(?:mine(?:'s| is)|i'?m called) (?:the |an? )?([\p{L}\p{N}'’ -]{1,40})[.!]?$/iu
const ASKED_YOURS = /\byour (?:(name)|fav(?:ou?rite)? ([\p{L} ]{2,24}?))\W*$/iu
/** "At a bakery", after the person mentioned work. */
const WHERE_OR_AS = /^(?:at|in|for|as) (?:an? |the )?([\p{L}\p{N}'’& -]{2,40})[.!]?$/iu

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
/** "she's sound" */
const DESCRIBES = /^\W{0,9}s?he(?:['’]?s| is) /iu
/** A word in lower case is a name only where one is expected. */
const isNameHere = (word: string, sentence: string, expected: boolean): boolean =>
  !NO_NAME.test(word) &&
  (CAPITALISED.test(word) ||
    (((expected && !DESCRIBES.test(sentence)) || NAMES.test(sentence)) && tellingWords(word).length > 0))

/** The context in which a short message is understood. */
export interface AskedBefore {
  readonly askedByCharacter: string
  readonly askedByPerson: string
  /** What a pronoun would refer to. */
  readonly last: Fact | undefined
  readonly isNamed: (subject: string) => boolean
}

/** A message that is only meaningful in context: a name, "mine is green", "at a bakery". */
export const shortAnswer = (
  sentence: string,
  cursor: number,
  { askedByCharacter, askedByPerson, last, isNamed }: AskedBefore
): Fact | undefined => {
  const bare = SHORT_NAME.exec(sentence)?.[1] ?? ""
  const expected =
    ASKED_FOR_NAME.test(askedByCharacter) || (last?.topic === "pet" && !isNamed(last.subject) && CAPITALISED.test(bare))
  const named = PRONOUN_NAME.exec(sentence)?.[1] ?? (expected ? bare : "")
  if (named !== "" && last !== undefined && last.subject !== "" && isNameHere(named, sentence, expected)) {
    const name = capital(named)
    return {
      ...last,
      attribute: "name",
      value: name,
      quote: sentence,
      text: `my ${last.subject} is called ${name}`,
      cursor
    }
  }
  const mine = MINE_IS.exec(sentence)?.[1]
  const yours = ASKED_YOURS.exec(askedByPerson)
  if (mine !== undefined && yours !== null && isPlainValue(mine)) {
    return yours[1] === undefined
      ? {
          subject: yours[2] ?? "",
          attribute: "favourite",
          topic: "like",
          value: mine,
          quote: sentence,
          text: `my favourite ${yours[2] ?? ""} is ${mine}`,
          cursor
        }
      : {
          subject: "",
          attribute: "name",
          topic: "other",
          value: mine,
          quote: sentence,
          text: `my name is ${mine}`,
          cursor
        }
  }
  const place = last?.topic === "work" ? WHERE_OR_AS.exec(sentence)?.[1] : undefined
  return place === undefined
    ? undefined
    : {
        subject: "",
        attribute: "work",
        topic: "work",
        value: place,
        quote: sentence,
        text: `I work ${sentence}`,
        cursor
      }
}
