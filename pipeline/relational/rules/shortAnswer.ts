import type { Fact } from "./Fact.ts"
import { NAME } from "./factPatterns.ts"
import { isPlainValue } from "./toldFacts.ts"

const PRONOUN_NAME = new RegExp(
  String.raw`^\W*(?:(?:she|he|it|they)(?:'s| is| are| was)(?: called| named)?|` +
    String.raw`(?:her|his|its|their) name(?:'s| is| was)|i (?:call|named|call) (?:him|her|it|them)) ${NAME}[.!]?$`,
  "iu"
)
const ASKED_FOR_NAME = /\b(?:called|call|name|named)\b[^.!?]{0,100}\?\s*$/i
const SHORT_NAME = /^[^\p{L}\p{N}]*(?:it'?s |she'?s |he'?s )?(\p{L}[\p{L}'’-]{0,60}\p{L})[^\p{L}\p{N}]*$/u
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
  if (named !== "" && last !== undefined && last.subject !== "" && CAPITALISED.test(named) && !NO_NAME.test(named)) {
    return { ...last, attribute: "name", value: named, quote: sentence, cursor }
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
