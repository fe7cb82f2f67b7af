import { isQuestion } from "#pipeline/relational/rules/questions.ts"
import { content } from "./wording.ts"

/** "Hello! Who are you?" asks who the character is. */
const BEFORE_A_QUESTION = new RegExp(
  String.raw`^\W*(?:(?:hi+|hey+|hello+|hiya|yo|good (?:morning|evening|afternoon)|cool|ok` +
    String.raw`(?:ay)?|nice|and|so|but|well|oh|wow|haha|lol|thanks)(?: there| again)?[\s,!.;:]{1,20}){1,8}` +
    String.raw`(?=\S+ \S)`,
  "i"
)
/** "Not much, you?" */
const RETURNED = new RegExp(
  String.raw`^(?!.*\b(?:do|are|did|would|can|have) you\s*\?).{0,60}?(?:^|[,.!;]\s*)` +
    String.raw`(?:and |what about |how about )?(?:you|u|yourself)\s*\?+\s*$|\b(?:hbu|wbu)\b`,
  "i"
)
const AS_A_GREETING = "how are you?"

const SENTENCES = /(?<=[.!?…])\s+|\n+/

/**
 * The part of a message to answer: the last sentence that asks something in its own words, or else the whole message.
 */
export const askedIn = (text: string): string => {
  if (RETURNED.test(text)) return AS_A_GREETING
  const question =
    text
      .split(SENTENCES)
      .findLast((sentence) => isQuestion(sentence) && sentence.includes("?") && content(sentence) !== "") ?? text
  const rest = question.replace(BEFORE_A_QUESTION, "")
  return isQuestion(rest) ? rest : isQuestion(question) ? question : text
}
