import { answersTo, namesDay } from "./answering.ts"
import type { Attribute, Fact } from "#pipeline/relational/rules/Fact.ts"
import { isMourned } from "./mourned.ts"
import { secondPerson } from "./secondPerson.ts"
import type { Slots } from "./slots.ts"
import { kin, NOUN, NOUN_PT, topicOf } from "#pipeline/relational/rules/topics.ts"

/** The answer from memory: a slot, a sentence, that it was lost, or that the person never said it. */
export type Memory =
  | { readonly kind: "slot" | "sentence"; readonly fact: Fact; readonly slots: Slots }
  | { readonly kind: "lost" }
  | { readonly kind: "unknown" }

interface Question {
  readonly pattern: RegExp
  readonly attribute: Attribute
  /** The capture group of the subject. Without a subject it is the person. */
  readonly subject?: number
}

const QUESTIONS: ReadonlyArray<Question> = [
  { attribute: "name", pattern: /\b(?:my name|who am i|i(?:'m| am) called|am i called|call me)\b/i },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(String.raw`\b(?:my|our) (?:[a-z]+ )?(${NOUN})(?:'s|’s)? (?:called|named|name)\b`, "i")
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(
      String.raw`\bname of (?:my|our|the) (?:[a-z]+ )?(\p{L}{1,40})[^\p{L}]*$|` +
        String.raw`\b(?:call|name) (?:my|our|the) (?:[a-z]+ )?(\p{L}{1,40})[^\p{L}]*$`,
      "iu"
    )
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(String.raw`\bwho(?:'?s| is| was) my (?:[a-z]+ )?(${NOUN})\b`, "i")
  },
  {
    attribute: "name",
    subject: 1,
    pattern: new RegExp(
      String.raw`(?:como (?:é que )?se chama|qual é o nome d)(?:[oa]|) ?(?:o meu|a minha|meu|minha) (${NOUN_PT})` +
        String.raw`(?!\p{L})`,
      "iu"
    )
  },
  { attribute: "name", pattern: /(?:como (?:é que )?(?:eu )?me chamo|qual é o meu nome)/i },
  { attribute: "home", pattern: /onde (?:é que )?(?:eu )?(?:moro|vivo)/i },
  { attribute: "origin", pattern: /de onde (?:é que )?(?:eu )?sou/i },
  {
    attribute: "favourite",
    subject: 1,
    pattern: /\bmy fav(?:ou?rite)? ([\p{L} ]{2,24}?)[^\p{L}]{0,10}(?:is|again)?[^\p{L}]{0,10}$/iu
  },
  { attribute: "age", pattern: /\bhow old (?:am i|i am|i'm)\b|\bmy age\b/i },
  { attribute: "birthday", pattern: /\bmy birthday\b/i },
  {
    attribute: "origin",
    pattern: /\bwhere (?:am i|i am|i'm|do i come|i come|did i grow|i grew|was i|i was)\b[^?]{0,80}(?:from|up|born)\b/i
  },
  { attribute: "home", pattern: /\bwhere (?:do )?i live\b|\bwhere i am\b/i },
  {
    attribute: "work",
    pattern: new RegExp(
      String.raw`\bwhat (?:do )?i do (?:for|as|again)\b|\bmy (?:job|profession|work)\b|\bwhere (?:do )?i work\b|` +
        String.raw`\bwhat (?:do )?i work\b`,
      "i"
    )
  },
  { attribute: "study", pattern: /\bwhat (?:do i|am i|i|i am|i'm) study(?:ing)?\b/i },
  { attribute: "like", pattern: /\bwhat (?:do )?i (?:like|love|enjoy)\b/i },
  { attribute: "dislike", pattern: /\bwhat (?:do )?i (?:hate|dislike|can'?t stand)\b/i }
]
const OWN: Readonly<Partial<Record<Attribute, string>>> = {
  name: "your name",
  age: "your age",
  home: "where you live",
  origin: "where you come from",
  work: "your work",
  study: "what you study",
  birthday: "your birthday",
  like: "what you love",
  dislike: "what you can't stand"
}

/** The person or what belongs to them, in the second person. */
export const subjectOf = ({ attribute, subject }: Fact): string =>
  subject === ""
    ? (OWN[attribute] ?? "you")
    : attribute === "favourite"
      ? `your favourite ${subject}`
      : `your ${subject}`

const ofSlot = (fact: Fact): Memory => ({
  kind: "slot",
  fact,
  slots: { subject: subjectOf(fact), value: fact.value, quote: secondPerson(fact.text) }
})
const ofSentence = (fact: Fact): Memory => ({
  kind: "sentence",
  fact,
  slots: { subject: subjectOf(fact), quote: secondPerson(fact.text) }
})

const EVERYTHING = new RegExp(
  String.raw`\b(?:know|remember) (?:anything )?(?:about |of )?me\b|` +
    String.raw`\bwhat (?:did|have) i (?:said|say|tell|told)(?: you)?(?: so far| before| earlier| about me)?\W*$`,
  "i"
)
const EXPECTS_MEMORY = new RegExp(
  String.raw`\b(?:remember|recall)\b|\b(?:did|have) i (?:\w+ )?(?:tell|told|say|said|mention)|` +
    String.raw`\bdo you know (?:my|where i|what i|who)\b|^\W*(?:\w+[\s,]+)?(?:(?:what|who|where|when)(?:['’]?s)?|` +
    String.raw`which|how old)\b|` +
    String.raw`(?<!\p{L})(?:como (?:é que )?(?:eu )?(?:me|se) cham[oa]|onde (?:é que )?(?:eu )?(?:moro|vivo)|` +
    String.raw`de onde (?:é que )?(?:eu )?sou|lembras-te)(?!\p{L})|` +
    String.raw`^\W{0,4}(?:wie|wo|wer|wann|was|woher|wogegen|welche[rsnm]?|hab|habe|bin|como|onde|quando|quem|` +
    String.raw`qual|quantos|o que|` +
    String.raw`a que|tenho|sou|cómo|dónde|cuándo|quién|cuál|qué|cuántos|a qué|en qué|tengo|soy|do|did|am|have|is|` +
    String.raw`was)(?!\p{L})`,
  "iu"
)
const THEIR_NAME =
  /\b(?:his|her|its|their) name\b|\b(?:is|was) (?:he|she|it) called\b|\b(?:he|she|it) (?:is|was) called\b/i
/** Said of one who is dead, if there is one. */
const WAS_CALLED = /\bwas\b/i
const CAPITALS = /(?<=\S )\p{Lu}\p{L}{2,20}/gu
/** The question with the names that were told in capitals: "where is megan". */
const withNames = (question: string, facts: ReadonlyArray<Fact>): string => {
  const names = new Map(
    facts.flatMap(({ attribute, text, value }) =>
      [...(text.match(CAPITALS) ?? []), ...(attribute === "name" ? [value] : [])].map((name) => [
        name.toLowerCase(),
        name
      ])
    )
  )
  return question.replace(/(?<=\s)\p{Ll}{3,20}/gu, (word) => names.get(word) ?? word)
}
const NAMED = /(?<=\s)\p{Lu}[\p{L}'’-]+/gu
/** From this score on, a fact answers the question. */
const ANSWERS = 0.6
/** The same for a question that is not clearly about the person. */
const CLEARLY_ANSWERS = 0.85
/** From this score on, something near was told. */
const NEAR = 0.25
/** How far back to look for the most informative facts. */
const MAX_TOLD = 12

const bySlot = (question: string, newest: ReadonlyArray<Fact>): Memory | null => {
  for (const { pattern, attribute, subject } of QUESTIONS) {
    const match = pattern.exec(question)
    if (match === null) continue
    const noun = subject === undefined ? "" : kin(match.slice(1).find((group) => group !== undefined) ?? "")
    const fact = newest.find((known) => known.attribute === attribute && known.subject === noun && known.value !== "")
    if (fact !== undefined) return ofSlot(fact)
  }
  return null
}

const byName = (question: string, newest: ReadonlyArray<Fact>): Memory | null => {
  const named = newest.filter(({ attribute, subject }) => attribute === "name" && subject !== "")
  const gone = WAS_CALLED.test(question) ? named.find((fact) => isMourned(fact, newest)) : undefined
  const called = THEIR_NAME.test(question) ? (gone ?? named[0]) : undefined
  if (called !== undefined) return ofSlot(called)
  const names = new Set(question.match(NAMED))
  const known = newest.findLast(({ quote }) => [...names].some((name) => quote.includes(name)))
  return known === undefined ? null : ofSentence(known)
}

/** Whether a question names someone of whom a fact speaks. */
const isNamed = (question: string, facts: ReadonlyArray<Fact>): boolean =>
  Array.from(question.matchAll(NAMED), ([name]) => name).some((name) => facts.some(({ text }) => text.includes(name)))

/** The most informative fact, for a question that names nothing. */
const anything = (newest: ReadonlyArray<Fact>): Memory | null => {
  const fact =
    newest.slice(-MAX_TOLD).find(({ attribute, topic }) => attribute !== "statement" && topic !== "other") ??
    newest.find(({ subject }) => subject !== "") ??
    newest.at(-1)
  return fact === undefined ? null : ofSentence(fact)
}

const MINE = /\b(?:i|my|me|we|our|the)\b|(?<!\p{L})(?:ich|mein|meine|unser|unsere|eu|meu|minha|mi|yo)(?!\p{L})/iu

/**
 * What the facts answer to a question. Null if it asks for nothing that the person could have said. If a question is
 * not clearly about the person, it is answered only if the facts clearly answer it. `unknown` only if nothing near was
 * told.
 */
export const recall = (asked: string, facts: ReadonlyArray<Fact>, aboutPerson: boolean): Memory | null => {
  const newest = facts.toReversed()
  const question = withNames(asked, facts)
  const [best] = answersTo(question, newest)
  if (!aboutPerson) {
    if (/\byou\b|\byour\b/i.test(question)) return byName(question, newest)
    if (best === undefined) return byName(question, newest)
    const isOwn = MINE.test(question) || namesDay(question) || topicOf(best.fact.subject) !== "other"
    return best.score >= (isNamed(question, newest) ? ANSWERS : CLEARLY_ANSWERS) && (isOwn || isNamed(question, newest))
      ? ofSentence(best.fact)
      : byName(question, newest)
  }
  if (EVERYTHING.test(question)) return anything(newest)
  return (
    bySlot(question, newest) ??
    (best !== undefined && best.score >= ANSWERS ? ofSentence(best.fact) : null) ??
    byName(question, newest) ??
    (best !== undefined && best.score >= NEAR
      ? { kind: "lost" }
      : EXPECTS_MEMORY.test(question)
        ? { kind: "unknown" }
        : null)
  )
}
