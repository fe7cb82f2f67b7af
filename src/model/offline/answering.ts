import { wordsMatch } from "#pipeline/retrieval/wordsMatch.ts"
import { contentOf } from "#pipeline/retrieval/contentWords.ts"
import { terms } from "#pipeline/retrieval/terms.ts"
import { askedByPhrase, marksOf, topicsTold } from "#pipeline/retrieval/topics/topics.ts"
import type { Fact } from "#pipeline/relational/rules/Fact.ts"
import { withoutFinalStop } from "#pipeline/relational/rules/sentences.ts"
import { subjectIn } from "#pipeline/relational/rules/subjects.ts"
import { topicOf } from "#pipeline/relational/rules/topics.ts"
import { wording } from "./wording.ts"

/** Words that only ask, in four languages, without accents. */
const ASKING = new Set(
  (
    "remember recall know happening happens told tell said say mention mentioned again please kind sort type " +
    "anything something ever " +
    "get " +
    "got getting year happened doesnt dont didnt cant wont isnt arent wasnt hasnt havent go going take use bring " +
    "keep whens called call like really still live lived now old one ones many much " +
    "long thing things far away often tall big month city town country " +
    "wie was wo wer wann wem wen woher wogegen wovor womit welche welcher welches welchen ist sind war bin ich " +
    "mein meine " +
    "meiner meinem meinen mir mich unser unsere habe hab hat noch weisst du eigentlich denn nochmal einen eine ein " +
    "der die das " +
    "fur mit von gern gerne " +
    "como onde quando quem qual quais que quantos quantas e o a os as de do da no na em eu meu minha meus minhas " +
    "me se tenho sou " +
    "faco lembras ainda " +
    "donde cuando quien cual cuales cuantos cuantas es el la los las en yo mi mis tengo soy recuerdas todavia un una"
  ).split(" ")
)
/** Subjects that stand for a whole topic. Any fact on the topic may answer. */
const GENERAL = new Set([
  "pet",
  "pets",
  "parents",
  "children",
  "kids",
  "family",
  "siblings",
  "kinder",
  "filhos",
  "hijos",
  "pais"
])

const NUMBER = new RegExp(
  String.raw`\d|(?<!another )\bone \p{L}|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
    String.raw`\p{L}{3,5}teen|` +
    String.raw`(?:twen|thir|for|fif|six|seven|eigh|nine)ty|no|none|both|zwei|drei|dois|duas|três|dos|tres)\b`,
  "iu"
)
const DAY = new RegExp(
  String.raw`\d|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|` +
    String.raw`june|july|august|` +
    String.raw`september|october|november|december|spring|summer|autumn|winter|today|tomorrow|tonight|weekend|` +
    String.raw`next|last|new year|` +
    String.raw`christmas|easter)|(?<!\p{L})(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|` +
    String.raw`februar|märz|mai|` +
    String.raw`juni|juli|oktober|dezember|morgen|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|` +
    String.raw`outubro|novembro|` +
    String.raw`dezembro|enero|febrero|marzo|mayo|junio|julio|septiembre|octubre|noviembre|diciembre)(?!\p{L})`,
  "iu"
)
/** Whether a question names a day or a month. */
export const namesDay = (question: string): boolean => DAY.test(question)
const PLACE = new RegExp(
  String.raw`(?<!\p{L})(?:in|at|from|to|near|on|off|around|above|below|behind|beside|outside|opposite|aus|` +
    String.raw`nach|bei|im|em|no|na|nos|para|do|da|de|en|al|lived|lives)\s\p{L}`,
  "iu"
)
const NAME = /(?<=\S )\p{Lu}\p{L}+/u

const DURATION = /\b(?:years?|months?|weeks?|days?|hours?|minutes?|since|seit|jahren?|anos|años|desde)\b/iu

/** What the answer must contain, by the question's first words. */
const KINDS_OF_ANSWER: ReadonlyArray<readonly [RegExp, (fact: Fact) => boolean]> = [
  [
    /^\W{0,20}(?:\p{L}{1,20} ){0,2}?(?:when|wann|quando|cuándo|(?:what|which) (?:year|day|month|date))(?!\p{L})/iu,
    ({ text }) => DAY.test(text)
  ],
  [
    /^\W{0,20}(?:\p{L}{1,20} ){0,2}?(?:where|wo|woher|wohin|onde|dónde)(?!\p{L})/iu,
    ({ text }) => PLACE.test(text) || topicsTold(text).has("~origin")
  ],
  [/\bhow long\b|(?<!\p{L})(?:wie lange|há quanto tempo|cuánto tiempo)(?!\p{L})/iu, ({ text }) => DURATION.test(text)],
  [
    /\bhow (?:old|many|much|far)\b|(?<!\p{L})(?:wie alt|wie viele|quantos|quantas|cuántos|cuántas)(?!\p{L})/iu,
    ({ text }) => NUMBER.test(text)
  ],
  [
    new RegExp(
      String.raw`\bnames?\b|\bcalled\b|\bwho(?:['’]?s| is| are| was| were) (?:my|our|the|i)\b|(?<!\p{L})(?:heißt|` +
        String.raw`heissen|heißen|` +
        String.raw`se chama|chama-se|se llama|se chamam|se llaman|nome|nombre)(?!\p{L})`,
      "iu"
    ),
    ({ attribute, text }) => attribute === "name" || NAME.test(text)
  ],
  [
    /\bwho(?:['’]?s| is| are| was| were)\b(?! (?:my|our|the|i)\b)/iu,
    ({ attribute, subject, text }) => attribute === "name" || topicOf(subject) === "person" || NAME.test(text)
  ]
]

/** A thing that the question asks for: one of its words, or a topic. */
interface Unit {
  readonly word: string | null
  readonly marks: ReadonlyArray<string>
  readonly weight: number
}

interface Question {
  readonly asked: string
  readonly units: ReadonlyArray<Unit>
  /** Whose matter it is, if it is someone's in particular. */
  readonly subject: string | null
  /** Whether it is about the person alone. */
  readonly own: boolean
  readonly fits: ReadonlyArray<(fact: Fact) => boolean>
}

/** "when did i open the cafe" asks with a verb, for which there are more words than for the thing. */
const AUXILIARIES = new Set(["do", "does", "did", "have", "has"])
const BETWEEN = new Set(["already", "ever", "still", "really"])
const verbOf = (question: string): string => {
  const words = question.split(/[\s?.!,]+/u)
  const at = words.findIndex((word, n) => AUXILIARIES.has(word) && n + 1 < words.length)
  const subject = at === -1 ? "" : (words[at + 1] ?? "")
  const after = /^(?:my|our)$/i.test(subject)
    ? at + 3
    : /^(?:i|we|\p{Lu}\p{L}*)$/u.test(subject)
      ? at + 2
      : words.length
  return words.slice(after).find((word) => !BETWEEN.has(word)) ?? ""
}
const OF_A_VERB = 0.5
/** "did i sell it" is answered only by what speaks of selling. */
const ASKS_IF = /^\W{0,9}(?:and |so |but )?(?:did|have|has) (?:i|we|my|our)\b/i
/** Verbs that say too little to count. */
const FAINT = new Set([
  "tell",
  "told",
  "say",
  "said",
  "mention",
  "mentioned",
  "do",
  "have",
  "got",
  "know",
  "live",
  "like"
])

const NAMES = /(?<=\p{L} )\p{Lu}[\p{L}-]+/gu
const singular = (noun: string): string => noun.replace(/(?<=\p{L}{3})s$/u, "")

const questionOf = (text: string): Question => {
  const { asked, rest } = askedByPhrase(text)
  const subject = subjectIn(text)?.noun ?? null
  // A phrase such as "where is Wout from" contains the name that it asks about.
  const names = Array.from(text.matchAll(NAMES), ([name]) => name)
    .filter((name) => !/^I['’]?/.test(name))
    .flatMap(terms)
  const words = [...new Set([...contentOf(terms(rest)), ...names])].filter((word) => !ASKING.has(word))
  const ofName = new Set(
    words.filter((word) => marksOf(word).every((mark) => mark === "~name") && marksOf(word).length > 0)
  )
  const telling = words.filter((word) => !ofName.has(word))
  const verb = verbOf(text).toLowerCase()
  const isIf = ASKS_IF.test(text)
  const units: ReadonlyArray<Unit> = [
    ...asked.map((marks) => ({ word: null, marks, weight: 1 })),
    ...telling.map((word) => ({ word, marks: marksOf(word), weight: word === verb && !isIf ? OF_A_VERB : 1 })),
    ...(isIf && verb !== "" && ASKING.has(verb) && !FAINT.has(verb)
      ? [{ word: verb, marks: marksOf(verb), weight: 1 }]
      : [])
  ]
  const about = subject === null || GENERAL.has(subject) ? null : singular(subject)
  const spoken = about !== null && ["person", "pet"].includes(topicOf(about)) ? about : null
  // "where do I live now?" asks with a word that is not telling otherwise.
  const fallback = terms(rest).filter((word) => ASKING.has(word) && marksOf(word).length > 0)
  return {
    asked: text,
    units: units.length > 0 ? units : fallback.map((word) => ({ word, marks: marksOf(word), weight: 1 })),
    subject: spoken,
    own: spoken === null && !/^\W*who/i.test(text),
    fits: KINDS_OF_ANSWER.filter(([pattern]) => pattern.test(text)).map(([, fits]) => fits)
  }
}

const NEGATED = new RegExp(
  String.raw`\b(?:not|never|no|none|without|nobody|nothing)\b|n['’]t\b|(?<!\p{L})(?:nicht|kein\p{L}{0,2}|nie|não|` +
    String.raw`nunca|nao)(?!\p{L})`,
  "iu"
)
const YES_OR_NO = new RegExp(
  String.raw`^\W{0,20}(?:\p{L}{1,20} )?(?:do|did|am|is|are|was|have|has|can|could|what can['’]?t|what don['’]?t|` +
    String.raw`bin|habe?|kann|mag|sou|tenho|gosto|soy|tengo)(?!\p{L})`,
  "iu"
)
/** A topic in common counts a little less than a word. */
const ON_TOPIC = 0.9
const DENIED = 0.5
/** A negation after these belongs to something else: "I'm diabetic, so no cake for me". */
const FIRST_WORDS = 4
const OTHERS_LESS = 0.55
const NOT_THEIRS = 0.3
const OTHER_KIND = 0.5
const BREVITY = 0.05
const NAMES_THE_JOB = 0.08
const OF_ITS_NAME = 0.05
const FACT_CHARS = 400

const isAbout = ({ subject, text }: Fact, asked: string): boolean =>
  singular(subject) === asked ||
  terms(wording(text)).some((word) => singular(word) === asked) ||
  topicsTold(text).has(`~family~${asked}`) ||
  topicsTold(text).has(`~pet~${asked}`) ||
  topicsTold(text).has(`~child~${asked}`) ||
  topicsTold(text).has(`~partner~${asked}`)

/** Whether a fact is about someone else, and not about having them. */
const isOthers = ({ text, subject }: Fact, units: ReadonlyArray<Unit>): boolean => {
  const who = subjectIn(text)
  if (who?.atTheStart !== true && !/^\p{Lu}\p{L}+['’]s? /u.test(text)) return false
  // "the doctor" is not what the person is.
  if (/^the /i.test(who?.span ?? "") && topicOf(who?.noun ?? "") !== "pet") return true
  if (!["person", "pet"].includes(topicOf(who?.noun ?? subject))) return false
  const itself = topicsTold(who?.noun ?? subject)
  return !units.some(({ marks }) => marks.some((mark) => itself.has(mark)))
}

const WORKS_AS = /^~work~(?!company|unemployed|retired)/
const asksForWork = (units: ReadonlyArray<Unit>): boolean => units.some(({ marks }) => marks.includes("~work"))

/** How well a fact answers a question, from 0 to a little more than 1. */
const scoreOf = ({ asked, units, subject, own, fits }: Question, fact: Fact): number => {
  const text = fact.text.slice(0, FACT_CHARS)
  const words = terms(text)
  const marks = topicsTold(`${text} ${fact.subject}`)
  const isSaid = ({ word }: Unit) =>
    word !== null && words.some((other) => wordsMatch(word, other) || other === `${word}d`)
  const isOnTopic = (unit: Unit) => unit.marks.some((mark) => marks.has(mark))
  const weighed = (some: ReadonlyArray<Unit>): number => some.reduce((sum, { weight }) => sum + weight, 0)
  const said = weighed(units.filter(isSaid))
  const covered = said + ON_TOPIC * weighed(units.filter((unit) => !isSaid(unit) && isOnTopic(unit)))
  if (units.length === 0)
    return subject !== null && isAbout(fact, subject) && fits.length > 0 && fits.every((fit) => fit(fact)) ? 1 : 0
  const share = covered / weighed(units)
  if (share === 0) return 0
  const theirs = subject === null || isAbout(fact, subject) ? 1 : NOT_THEIRS
  const others = own && isOthers(fact, units) ? OTHERS_LESS : 1
  const kind = fits.every((fit) => fit(fact)) ? 1 : OTHER_KIND
  // "I can't swim" is no answer to "what's my hobby?".
  const denied =
    said === 0 && !YES_OR_NO.test(asked) && NEGATED.test(text.split(" ", FIRST_WORDS).join(" ")) ? DENIED : 1
  const telling = Math.max(1, contentOf(words).length)
  return (
    share * theirs * others * kind * denied +
    BREVITY * (covered / telling) +
    (fact.attribute === "name" && fits.length > 0 ? OF_ITS_NAME : 0) +
    (asksForWork(units) && [...marks].some((mark) => WORKS_AS.test(mark)) ? NAMES_THE_JOB : 0)
  )
}

export interface Answer {
  readonly fact: Fact
  readonly score: number
}

/** The facts that may answer a question, best first. The first of equals comes first. */
export const answersTo = (text: string, facts: ReadonlyArray<Fact>): ReadonlyArray<Answer> => {
  const question = questionOf(text)
  const texts = [...new Set(facts.map((fact) => withoutFinalStop(fact.text)))]
  return facts
    .filter((fact) => !texts.some((other) => other.startsWith(`${withoutFinalStop(fact.text)}, `)))
    .map((fact) => ({ fact, score: scoreOf(question, fact) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
}
