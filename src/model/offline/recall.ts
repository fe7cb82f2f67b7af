import { bm25 } from "#pipeline/retrieval/bm25.ts"
import type { Attribute, Fact } from "./Fact.ts"
import { secondPerson } from "./secondPerson.ts"
import type { Slots } from "./slots.ts"
import { NOUN } from "./topics.ts"
import { content } from "./wording.ts"

/** What is remembered of what was asked: a slot, a sentence, or that nobody said it. */
export type Memory =
  | { readonly kind: "slot" | "sentence"; readonly fact: Fact; readonly slots: Slots }
  | { readonly kind: "unknown" }

interface Question {
  readonly pattern: RegExp
  readonly attribute: Attribute
  /** Where in the match the subject stands; no subject is the person. */
  readonly subject?: number
}

const QUESTIONS: ReadonlyArray<Question> = [
  { attribute: "name", pattern: /\b(?:my name|who am i|i(?:'m| am) called|am i called|call me)\b/i },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\b(?:my|our) (?:[a-z]+ )?(${NOUN})(?:'s|’s)? (?:called|named|name)\b`, "i") },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\bname of (?:my|our) (?:[a-z]+ )?(${NOUN})\b|\b(?:call|name) (?:my|our) (?:[a-z]+ )?(${NOUN})\b`, "i") },
  { attribute: "name", subject: 1, pattern: new RegExp(String.raw`\bwho(?:'?s| is| was) my (?:[a-z]+ )?(${NOUN})\b`, "i") },
  { attribute: "favourite", subject: 1, pattern: /\bmy fav(?:ou?rite)? ([\p{L} ]{2,24}?)\W*(?:is|again)?\W*$/iu },
  { attribute: "age", pattern: /\bhow old (?:am i|i am|i'm)\b|\bmy age\b/i },
  { attribute: "birthday", pattern: /\bmy birthday\b/i },
  { attribute: "origin", pattern: /\bwhere (?:am i|i am|i'm|do i come|i come|did i grow|i grew|was i|i was)\b[^?]*(?:from|up|born)\b/i },
  { attribute: "home", pattern: /\bwhere (?:do )?i live\b|\bwhere i am\b/i },
  { attribute: "work", pattern: /\bwhat (?:do )?i do (?:for|as|again)\b|\bmy (?:job|profession|work)\b|\bwhere (?:do )?i work\b|\bwhat (?:do )?i work\b/i },
  { attribute: "study", pattern: /\bwhat (?:do i|am i|i|i am|i'm) study(?:ing)?\b/i },
  { attribute: "like", pattern: /\bwhat (?:do )?i (?:like|love|enjoy)\b/i },
  { attribute: "dislike", pattern: /\bwhat (?:do )?i (?:hate|dislike|can'?t stand)\b/i },
  { attribute: "doing", subject: 1, pattern: new RegExp(String.raw`\b(?:what|where|which|how|when)[^.?!]* my (?:[a-z]+ )?(${NOUN})\b`, "i") }
]

const OWN: Readonly<Partial<Record<Attribute, string>>> = {
  name: "your name", age: "your age", home: "where you live", origin: "where you come from", work: "your work", study: "what you study",
  birthday: "your birthday", like: "what you love", dislike: "what you can't stand"
}

const KIN: Readonly<Record<string, string>> = { mum: "mother", mom: "mother", mama: "mother", dad: "father", papa: "father", grandma: "grandmother", granny: "grandmother", nan: "grandmother", grandpa: "grandfather", grandad: "grandfather" }
const kin = (noun: string): string => KIN[noun.toLowerCase()] ?? noun.toLowerCase()

/** The person, or what is theirs, as said to them. */
export const subjectOf = ({ attribute, subject }: Fact): string =>
  subject === "" ? OWN[attribute] ?? "you" : attribute === "favourite" ? `your favourite ${subject}` : `your ${subject}`

const ofSlot = (fact: Fact): Memory => ({ kind: "slot", fact, slots: { subject: subjectOf(fact), value: fact.value, quote: secondPerson(fact.quote) } })
const ofSentence = (fact: Fact): Memory => ({ kind: "sentence", fact, slots: { subject: subjectOf(fact), quote: secondPerson(fact.quote) } })

const EVERYTHING = /\b(?:know|remember) (?:about|of) me\b|\bwhat (?:did|have) i (?:said|say|tell|told)(?: you)?(?: so far| before| earlier| about me)?\W*$/i
const EXPECTS_MEMORY = /\b(?:remember|recall)\b|\b(?:did|have) i (?:\w+ )?(?:tell|told|say|said|mention)|\bdo you know (?:my|where i|what i|who)\b|^\W*(?:\w+[\s,]+)?(?:what|who|where|when|which|how old)\b/i
const HEARD = 0.34

/** What the facts say to a question about the person, or null when it asks for nothing that they could have said. */
export const recall = (question: string, facts: ReadonlyArray<Fact>): Memory | null => {
  const newest = facts.toReversed()
  for (const { pattern, attribute, subject } of QUESTIONS) {
    const match = pattern.exec(question)
    if (match === null) continue
    const noun = subject === undefined ? "" : kin(match.slice(1).find((group) => group !== undefined) ?? "")
    const fact = newest.find((known) => known.attribute === attribute && known.subject === noun && known.value !== "")
    if (fact !== undefined) return attribute === "doing" ? ofSentence(fact) : ofSlot(fact)
    if (attribute !== "doing") return { kind: "unknown" }
  }
  if (EVERYTHING.test(question)) {
    const fact = newest.find(({ attribute }) => attribute !== "statement") ?? newest[0]
    return fact === undefined ? { kind: "unknown" } : ofSentence(fact)
  }
  const statements = newest.filter(({ attribute }) => attribute === "statement" || attribute === "name")
  const best = bm25(statements, ({ quote }) => content(quote)).search(content(question))[0]
  if (best !== undefined && best.score >= HEARD) return ofSentence(best.item)
  const named = /\bwho(?:'s| is| was) (\p{Lu}[\p{L}'’-]+)/u.exec(question)?.[1]
  const person = named === undefined ? undefined : newest.find(({ attribute, value }) => attribute === "name" && value === named)
  if (person !== undefined) return ofSentence(person)
  return EXPECTS_MEMORY.test(question) ? { kind: "unknown" } : null
}
