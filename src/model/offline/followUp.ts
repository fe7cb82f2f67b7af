import type { Fact, Topic } from "#pipeline/relational/rules/Fact.ts"
import { subjectOf } from "./recall.ts"
import { secondPerson } from "./secondPerson.ts"
import type { Slots } from "./slots.ts"

const SPOKEN_OF: ReadonlySet<Topic> = new Set(["pet", "person", "event"])

/** Follow-up questions use the name if it is known. */
const nameOf = (fact: Fact, facts: ReadonlyArray<Fact>): string | undefined =>
  facts.findLast(({ attribute, subject }) => attribute === "name" && subject === fact.subject)?.value

/** Plural subjects need a different verb form, so no line mentions them by name. */
const PLURAL = /(?:[^su]s|children|parents|people)$/i

export const slotsOf = (fact: Fact, facts: ReadonlyArray<Fact>): Slots => {
  const name = fact.subject === "" ? undefined : nameOf(fact, facts)
  const subject = name ?? (PLURAL.test(fact.subject) ? undefined : subjectOf(fact))
  return {
    quote: secondPerson(fact.quote),
    named: name !== undefined,
    ...(subject === undefined ? {} : { subject }),
    ...(fact.value === "" ? {} : { value: fact.value })
  }
}

/** What was said in the message at `cursor`, most informative first. */
export const toldAt = (cursor: number, facts: ReadonlyArray<Fact>): ReadonlyArray<Fact> =>
  facts
    .filter(
      (fact) => fact.cursor === cursor && (fact.topic !== "other" || (fact.attribute === "name" && fact.subject === ""))
    )
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
    seen.add(fact.subject)
    const { subject } = slotsOf(fact, facts)
    return subject !== undefined && !alreadySaid(subject)
  })
}
