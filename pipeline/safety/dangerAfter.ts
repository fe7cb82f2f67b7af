import { type Alarm, ALARM_KINDS, type AlarmKind } from "./alarm.ts"
import { conceptsOf } from "./classifier/concepts.ts"
import { tokensOf } from "./classifier/tokens.ts"
import { dangerIn, isCry } from "./crisis.ts"
import { hasCrisisSignal } from "./crisisSignals.ts"
import { askedOf, asksSomething } from "./dangerQuestions.ts"
import { messageLanguage, messageScores } from "./messageScores.ts"
import { sentencesOf } from "./reading.ts"
import type { SaidBefore } from "./saidBefore.ts"
import { isHelped, shortAnswer } from "./shortAnswers.ts"

/**
 * What the classifier makes of a message alone is corrected by what was said before it. A weak sign counts after a
 * message about danger, or as an answer to a question about it. A weak sign in a short answer about something else
 * ("The burglar got eighteen months." "not long enough") does not count. A clear sign always counts.
 */

/** From this score on, a sign is clear. Below zero, it is no alarm by itself. */
const CLEAR = 1
/** From this score on, a message goes on with what a message about danger began: as an answer, or unasked. */
const ANSWERS = -1.5
const GOES_ON = -1
/**
 * From this score on, a message speaks of something heavy: nothing after it is explained away, and it can be alarming
 * together with another.
 */
const HEAVY = -1
/** Longer messages say by themselves what they mean. */
const MOST_WORDS = 8
const MOST_WORDS_OF_PART = 12
const MOST_WORDS_OF_ELLIPSIS = 3

const READABLE = /[\p{L}\p{N}]/u
const LETTER_FIRST = /^\p{L}/u
const WORD = /\p{L}+/gu
const wordsIn = (text: string): number => text.match(WORD)?.length ?? 0

const strongest = (text: string): readonly [AlarmKind, number] => {
  const scores = messageScores(text)
  const [kind = "self"] = ALARM_KINDS.toSorted((one, other) => scores[other] - scores[one])
  return [kind, scores[kind]]
}

const conceptsIn = (text: string): ReadonlySet<string> =>
  new Set(tokensOf(text, new Date().getFullYear()).flatMap((token) => conceptsOf(token)))
const hasAny = (concepts: ReadonlySet<string>, wanted: ReadonlyArray<string>): boolean =>
  wanted.some((concept) => concepts.has(concept))

/** Somebody or something else than the two who write. */
const OTHER = "third kin child partner others pet game fiction news sport foodw police".split(" ")
/** The person themselves. Spanish and Portuguese verbs of wishing and being able to stand for "I". */
const SELF = "i me myself killself want can".split(" ")
/** What happens to the person, and what they will do: nothing that is answered here is explained away. */
const THEIRS = "hit hurt rape threat locked fear follow now cut pills death die kill suicide".split(" ")
/** What no context explains away. */
const DEADLY = (
  "die died dead death killself suicide pills rope gun blade cut height rail water gas wake live life bye burden " +
  "worthless empty"
).split(" ")
/** Harmless in a game or a story. */
const DEADLY_OUTSIDE_STORIES = ["kill", "end", "shallpay"]
const STORIES = ["game", "fiction", "sport"]
/** Words of an ellipsis ("not long enough"), which says nothing without what was said before it. */
const ELLIPTIC = new Set(
  (
    "not no long short enough much many more all of them it that this yet still anymore every single night day time " +
    "always often too little few far " +
    "nicht nich net lang lange kurz genug viel zu wenig mehr alle alles jede jeden nacht tag mal immer oft nix " +
    "kaum noch " +
    "poco mucho muy tanto mas todas todos todo cada noche noches dia dias siempre ya suficiente bastante me " +
    "parece las los " +
    "nao n pouco muito mt mais tudo toda noite sempre ja suficiente pra mim"
  ).split(" ")
)

const isElliptic = (text: string): boolean => {
  const words = tokensOf(text, new Date().getFullYear()).filter((token) => LETTER_FIRST.test(token))
  return words.length <= MOST_WORDS_OF_ELLIPSIS && words.every((word) => ELLIPTIC.has(word))
}

/** Questions about how the person is that name neither them nor anything else. */
const HOW_ARE_YOU = new RegExp(
  " (?:hows it going|how is it going|hows things|whats up|sup|all good|everything ok(?:ay)?|what is it|whats wrong|" +
    "wie gehts|wie lauft es|wie laufts|was ist los|was is los|alles ok(?:ay)?|alles gut|was hast|" +
    "que tal|como va|como vas|como andas|todo bien|que pasa|que paso|que hay|" +
    "tudo bem|tudo bom|como vai|beleza|e ai|que foi|o que foi|que houve) "
)
/** In English a first person mostly has a word of its own. In the other languages a verb alone may stand for it. */
const marksSubjects = (text: string): boolean => messageLanguage(text) === "en"
const isAboutOthers = (line: ReadonlySet<string>): boolean => hasAny(line, OTHER)

/** Whether a short message with a weak sign is about what the character spoke of, and not about the person. */
const isExplained = (text: string, { line, earlier }: SaidBefore): boolean => {
  if (line === "" || wordsIn(text) > MOST_WORDS || askedOf(line) !== null) return false
  if (sentencesOf(line).some((sentence) => HOW_ARE_YOU.test(sentence))) return false
  if (earlier.some((one) => strongest(one)[1] > HEAVY)) return false
  const lines = conceptsIn(line)
  const words = conceptsIn(text)
  if (hasAny(lines, THEIRS) || hasAny(words, DEADLY)) return false
  if (hasAny(words, DEADLY_OUTSIDE_STORIES) && !hasAny(lines, STORIES)) return false
  if (isElliptic(text)) return asksSomething(line) || !lines.has("you")
  return marksSubjects(line) && isAboutOthers(lines) && !lines.has("you") && !hasAny(words, SELF)
}

const alarmOf = (kind: AlarmKind, text: string, before: SaidBefore): Alarm => ({
  kind,
  language: messageLanguage(text) ?? messageLanguage(before.line) ?? messageLanguage(before.earlier.at(-1) ?? "")
})

/** The danger that a message tells of only together with what was said before it. */
const toldTogether = (text: string, before: SaidBefore): Alarm | null => {
  const { line, earlier } = before
  if (!READABLE.test(text) || isHelped(text)) return null
  const answer = shortAnswer(text)
  const asked = askedOf(line)
  if (asked === "danger" && answer !== null && answer !== "no") return alarmOf("self", text, before)
  if (asked === "safety" && (answer === "no" || answer === "unsure")) return alarmOf("self", text, before)
  const [kind, score] = strongest(text)
  if (asked !== null) return answer === null && score > ANSWERS ? alarmOf(kind, text, before) : null
  const isQuestion = asksSomething(line)
  const begun = earlier.map((one) => dangerIn(one)).findLast((alarm) => alarm !== null) ?? null
  if (begun !== null) {
    const isPart =
      answer === "means" ||
      (isQuestion && answer !== null) ||
      (answer !== "no" && wordsIn(text) <= MOST_WORDS && score > (isQuestion ? ANSWERS : GOES_ON))
    return isPart ? alarmOf(begun.kind, text, before) : null
  }
  const previous = earlier.at(-1)
  if (previous === undefined || wordsIn(previous) > MOST_WORDS_OF_PART || wordsIn(text) > MOST_WORDS_OF_PART)
    return null
  // Two harmless messages, such as two goodbyes, stay harmless together.
  if (Math.max(score, strongest(previous)[1]) <= HEAVY) return null
  const [together, sum] = strongest(`${previous}\n${text}`)
  return sum > CLEAR ? alarmOf(together, text, before) : null
}

/** The danger that the writer may be in according to a message, corrected by what was said before it. */
export const dangerAfter = (text: string, before: SaidBefore, alone: Alarm | null = dangerIn(text)): Alarm | null => {
  if (alone === null) return toldTogether(text, before)
  const score = messageScores(text)[alone.kind]
  const isWeak = score > 0 && score < CLEAR && !isCry(text) && !hasCrisisSignal(text)
  return isWeak && isExplained(text, before) ? null : alone
}
