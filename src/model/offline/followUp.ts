import type { Fact, Topic } from "#pipeline/relational/rules/Fact.ts"
import { topicsTold } from "#pipeline/retrieval/topics/topics.ts"
import { isMourned, nameOf } from "./mourned.ts"
import { subjectOf } from "./recall.ts"
import { secondPerson } from "./secondPerson.ts"
import type { Slots } from "./slots.ts"

const SPOKEN_OF: ReadonlySet<Topic> = new Set(["pet", "person", "event"])

/** Plural subjects need a different verb form, so no line mentions them by name. */
const PLURAL = /(?:[^su]s|children|parents|people)$/i

export const slotsOf = (fact: Fact, facts: ReadonlyArray<Fact>): Slots => {
  const name = fact.subject === "" ? undefined : nameOf(fact, facts)
  const subject = name ?? (PLURAL.test(fact.subject) ? undefined : subjectOf(fact))
  return {
    quote: secondPerson(fact.text),
    named: name !== undefined,
    ...(subject === undefined ? {} : { subject }),
    ...(fact.value === "" ? {} : { value: fact.value })
  }
}

/** Topics of the lexicon to which there is a reaction, in order. */
const REACTIONS: ReadonlyArray<readonly [string, Topic]> = [
  ["~work", "work"],
  ["~study", "work"],
  ["~event", "event"],
  ["~hobby", "like"],
  ["~instrument", "like"],
  ["~team", "like"]
]
const NEGATED = /\b(?:not|never|no longer|used to)\b|n['’]?t\b/i
const isOn = (mark: string, topic: string): boolean => mark === topic || mark.startsWith(`${topic}~`)

/** A sentence without a noun that tells its topic, by its other words: "i start at 4am in the bakery" is about work. */
const withTopic = (fact: Fact): Fact => {
  if (fact.topic !== "other" || fact.attribute !== "statement" || fact.subject !== "") return fact
  if (NEGATED.test(fact.text) || fact.text.includes("?")) return fact
  const marks = [...topicsTold(fact.text)]
  const topic = REACTIONS.find(([topic]) => marks.some((mark) => isOn(mark, topic)))?.[1]
  return topic === undefined ? fact : { ...fact, topic }
}

/** What was said in the message at `cursor`, most informative first. */
export const toldAt = (cursor: number, facts: ReadonlyArray<Fact>): ReadonlyArray<Fact> =>
  facts
    .filter((fact) => fact.cursor === cursor)
    .map(withTopic)
    .filter((fact) => fact.topic !== "other" || (fact.attribute === "name" && fact.subject === ""))
    .sort((a, b) => Number(a.attribute === "statement") - Number(b.attribute === "statement"))

/** Things that the person mentioned a while ago and that neither has returned to, oldest first. */
export const openLoops = (
  facts: ReadonlyArray<Fact>,
  before: number,
  alreadySaid: (text: string) => boolean
): ReadonlyArray<Fact> => {
  const seen = new Set<string>()
  return facts.filter((fact) => {
    if (!SPOKEN_OF.has(fact.topic) || fact.cursor >= before || seen.has(fact.subject)) return false
    if (isMourned(fact, facts)) return false
    seen.add(fact.subject)
    const { subject } = slotsOf(fact, facts)
    return subject !== undefined && !alreadySaid(subject)
  })
}
