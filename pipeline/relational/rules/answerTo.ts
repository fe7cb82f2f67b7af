import { isTalk, tellingWords } from "./notFacts.ts"

const ABOUT_YOU = /\b(?:you|your|yourself)\b|(?<!\p{L})(?:du|dein|deine|dir|tu|teu|tua|você|te|tus|tú)(?!\p{L})/iu
const NAME_ASKED =
  /\b(?:your name|call you|who are you|who am i talking to)\b|wie heißt du|como te chamas|cómo te llamas/iu
const ONE_NAME = /^(?:it['’]?s |i['’]?m )?(\p{L}[\p{L}'’-]{1,30}(?: \p{L}[\p{L}'’-]{1,30})?)[.! ]*$/iu
const NO_ANSWER = new RegExp(
  String.raw`^(?:a?yo|hey+a?|hi+|hello|sup|yes|yeah|yep|no|nope|nah|ok|okay|sure|maybe|not really|nothing|none|` +
    String.raw`idk|dunno|why|secret|guess|you|` +
    String.raw`good|fine|great|well|bad|so so|not (?:bad|much)|a?(?:ha)+h?|lo+l|k{3,9}|same|tired|ja|nein|sim|não|` +
    String.raw`sí|nada|bem|bien|gut)\b`,
  "iu"
)
const HAS_OWN_SUBJECT = /\b(?:i|i['’]?m|i['’]ve|my|we|our|hes?|shes?|they|theyre|it|you)\b/iu
/** The answer to a common question as a sentence of its own. */
const OPENINGS: ReadonlyArray<readonly [RegExp, (answer: string) => string]> = [
  [
    /\b(?:do you do|your (?:job|work|profession)|keeps you busy|you work|do for (?:a living|work))\b/iu,
    (answer) => `my work: ${answer}`
  ],
  [
    /\bwhere (?:do|are) you (?:live|living|based)\b/iu,
    (answer) => `I live ${/^(?:in|at|near|on) /iu.test(answer) ? "" : "in "}${answer}`
  ],
  [/\bwhere (?:are|do) you (?:come )?from\b/iu, (answer) => `I'm from ${answer.replace(/^from /iu, "")}`],
  [/\bhow old are you\b/iu, (answer) => `I'm ${answer}`]
]
/** "first date on Friday" does not say how long or how many. */
const ASKS_FOR_A_NUMBER = /\bhow (?:long|many|much|old|often|far)\b/iu
const NUMBER = new RegExp(
  String.raw`\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|years?|months?|weeks?|` +
    String.raw`days?|hours?|minutes?|ages|forever|since|always|never|a while|daily|every)\b`,
  "iu"
)
/** "a neighbour told me to try this" is about the conversation. */
const ABOUT_THE_TALK = /\b(?:this|here)\b/iu
const READ_CHARS = 300
const MAX_WORDS = 10
const MAX_QUESTION_CHARS = 120

/** "welder. shipyard in Gdynia", after the character asked what the person does. Null if it answers nothing. */
export const answerTo = (asked: string, sentence: string): string | null => {
  const question = /[^.!?\n]{1,200}\?\W{0,10}$/u.exec(asked.slice(-READ_CHARS))?.[0]?.trim() ?? ""
  if (question === "" || !ABOUT_YOU.test(question) || NO_ANSWER.test(sentence)) return null
  if (NAME_ASKED.test(question)) {
    const name = ONE_NAME.exec(sentence)?.[1]
    return name === undefined ? null : `my name is ${name}`
  }
  return question.length > MAX_QUESTION_CHARS ||
    sentence.split(/\s+/).length > MAX_WORDS ||
    HAS_OWN_SUBJECT.test(sentence) ||
    tellingWords(sentence).length === 0 ||
    (ASKS_FOR_A_NUMBER.test(question) && !NUMBER.test(sentence)) ||
    ABOUT_THE_TALK.test(sentence) ||
    isTalk(sentence)
    ? null
    : (OPENINGS.find(([pattern]) => pattern.test(question))?.[1](sentence) ?? `${question} ${sentence}`)
}
