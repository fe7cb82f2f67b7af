import { type Act, actOf } from "#pipeline/relational/rules/acts.ts"
import { tellingWords } from "#pipeline/relational/rules/notFacts.ts"
import { isQuestion } from "#pipeline/relational/rules/questions.ts"
import { content } from "./wording.ts"

/** "Hello! Who are you?" asks who the character is. */
const BEFORE_A_QUESTION = new RegExp(
  String.raw`^\W*(?:(?:hi+|hey+|hello+|hiya|yo|oi+|olá|ola|hola|good (?:morning|evening|afternoon)|cool|ok` +
    String.raw`(?:ay)?|nice|and|so|but|well|oh|ah+|wow|hm+|haha+|ahaha+|lol|lmf?ao+|bruh|bro|dude|thanks|então|e|mas|` +
    String.raw`que fixe)(?: there| again| ok)?[\s,!.;:]{1,20}){1,8}(?=\S+ \S)`,
  "i"
)
/** "Not much, you?" */
const RETURNED = new RegExp(
  String.raw`^(?!.*\b(?:do|are|did|would|can|have) you\s*\?).{0,60}?(?:^|[,.!;]\s*)` +
    String.raw`(?:and |what about |how about )?(?:you|u|yourself)\s*\?+\s*$|\b(?:hbu|wbu)\b`,
  "i"
)
/** "I failed my test, did I tell you that?" tells something. */
const READ_AT_END = 80
const RHETORICAL = new RegExp(
  String.raw`[,.!]?\s{0,3}(?:did i (?:ever |already )?(?:tell|mention)(?: (?:you|that|this|it)){0,3}|` +
    String.raw`(?:you )?know what i mean|sabes|percebes|não é|né|estás a ver|weißt du|` +
    String.raw`you know|right|isn't it|can you believe it|believe it or not)\s{0,3}\?{1,9}\s{0,3}$`,
  "i"
)
const AS_A_GREETING = "how are you?"

const SENTENCES = /(?<=[.!?…])\s+|\n+/

/** "no i mean your first house", "i asked if you got caught": the question again, in other words. */
const CORRECTED = new RegExp(
  String.raw`^\W*(?:(?:no+|nah|bruh|bro|dude|wrong|but|wait|hey|sorry|ok|well|yeah)[\s,.!]{1,6}){0,4}` +
    String.raw`(?:i (?:just |only |already )?(?:asked|ask|meant|mean|was asking|was talking about|said)(?: you)?|` +
    String.raw`my question (?:is|was)|the question (?:is|was)|eu perguntei|perguntei|quero dizer)[\s,:]{1,4}` +
    String.raw`(?:(?:if|whether|about|se)\s{1,4})?(?=\S{1,40} \S)`,
  "iu"
)
/** "that's not an answer": the last question still stands. */
const UNANSWERED = new RegExp(
  String.raw`\b(?:not an? (?:real )?answer|(?:not|isn['’]?t) what i (?:asked|meant|said)|` +
    String.raw`(?:didn['’]?t|did not|never|haven['’]?t|have not|won['’]?t|not) ` +
    String.raw`(?:really |actually |even )?answer(?:ed|ing)?|answer (?:me|the|my) ?(?:question)?|` +
    String.raw`(?:avoid|dodg|ignor)(?:ing|ed) (?:the|my|that|every)? ?question|i asked you (?:a question|` +
    String.raw`something))\b|` +
    String.raw`(?<!\p{L})(?:não respondeste|responde à pergunta|não foi isso que perguntei)(?!\p{L})`,
  "iu"
)
/** "what answer?" only takes up a word. */
const ECHO = /^\W{0,9}what(?: (?!happened|next|now|then|else|time|about)\p{L}{1,30})?\W{0,9}$/iu
/** "you didn't answer me about her" */
const ABOUT = /\babout (\p{L}[^.!?]{1,40})/iu
/** A shorter clause is part of what stands before it. */
const FEWEST_WORDS = 3
const asksOn = (sentence: string): boolean => isQuestion(sentence) && content(sentence) !== ""

/** The clauses of a message that begins with no question. */
const clausesAfter = (text: string): ReadonlyArray<string> => {
  const [first = "", ...others] = text.split(/,\s+/)
  return isQuestion(first) ? [] : others
}

/**
 * The part of a message to answer: the last sentence that asks something in its own words, or else the whole message.
 * `earlier`: the person's earlier messages, oldest first. A complaint about an answer asks the last of their questions
 * again.
 */
export const askedIn = (text: string, earlier: ReadonlyArray<string> = []): string => {
  if (RETURNED.test(text)) return AS_A_GREETING
  const rhetorical = RHETORICAL.exec(text.slice(-READ_AT_END))
  if (rhetorical !== null && text.length > rhetorical[0].length) return text.slice(0, -rhetorical[0].length)
  const before = earlier.findLast(asksOn)
  if (before !== undefined && CORRECTED.test(text)) {
    const again = text.replace(CORRECTED, "").replace(/(?<![.!?\s])[.!?\s]+$/, "")
    return `${again}?`
  }
  const sentences = text.split(SENTENCES).filter((sentence, _, all) => all.length === 1 || !ECHO.test(sentence))
  const question =
    (sentences.length > 1 ? sentences.findLast(asksOn) : undefined) ??
    clausesAfter(text).findLast((clause) => asksOn(clause) && clause.split(/\s+/).length >= FEWEST_WORDS)
  if (question === undefined && before !== undefined && UNANSWERED.test(text)) {
    const about = ABOUT.exec(text)?.[1]
    return about === undefined ? askedIn(before) : `tell me about ${about}`
  }
  const asking = question ?? sentences.join(" ")
  const rest = asking.replace(BEFORE_A_QUESTION, "")
  return isQuestion(rest) ? rest : asking
}

/** Acts that only open a message, if something else follows them. */
const OPENING: ReadonlySet<Act> = new Set([
  "greeting",
  "thanks",
  "apology",
  "laughter",
  "agreement",
  "disagreement",
  "acknowledgement",
  "compliment"
])
/** What follows them is what the message says, if it does one of these, or tells something. */
const WEIGHTY: ReadonlySet<Act> = new Set([
  "grief",
  "bad_news",
  "good_news",
  "question_self",
  "question_world",
  "question_past",
  "advice",
  "plan",
  "joke",
  "story"
])
const FIRST_CLAUSE = /^[^.!?,;:\n]{1,60}[.!?,;:]{1,8}\s{1,8}(?=\S{1,60} \S)/
/** What a message says is at its beginning. */
const READ_CHARS = 600
const MAX_OPENINGS = 3
const FEWEST_TELLING = 2
const SHORT_WORDS = 3

/** "thanks. her name was Marijke" without the thanks: what follows an opening counts. */
export const withoutOpening = (text: string): string => {
  if (text.length > READ_CHARS) return text
  let rest = text
  for (let n = 0; n < MAX_OPENINGS; n++) {
    const first = FIRST_CLAUSE.exec(rest)?.[0]
    if (first === undefined || !OPENING.has(actOf(first.trim()))) return rest
    const after = rest.slice(first.length)
    const act = actOf(after)
    if (
      !WEIGHTY.has(act) &&
      !OPENING.has(act) &&
      tellingWords(after).length < (after.split(" ").length > SHORT_WORDS ? 1 : FEWEST_TELLING)
    )
      return rest
    rest = after
  }
  return rest
}
