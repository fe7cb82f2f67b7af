import type { Fact, Topic } from "./Fact.ts"
import { subjectOf } from "./recall.ts"
import { secondPerson } from "./secondPerson.ts"
import type { Slots } from "./slots.ts"

const SPOKEN_OF: ReadonlySet<Topic> = new Set(["pet", "person", "event"])

/** The name, where it is known, is what one asks after. */
const nameOf = (fact: Fact, facts: ReadonlyArray<Fact>): string | undefined =>
  facts.findLast(({ attribute, subject }) => attribute === "name" && subject === fact.subject)?.value

export const slotsOf = (fact: Fact, facts: ReadonlyArray<Fact>): Slots => {
  const name = fact.subject === "" ? undefined : nameOf(fact, facts)
  const subject = name ?? subjectOf(fact)
  return { subject, quote: secondPerson(fact.quote), ...(fact.value === "" ? {} : { value: fact.value }) }
}

/** What was said in the message at `cursor`, the most telling first. */
export const toldAt = (cursor: number, facts: ReadonlyArray<Fact>): ReadonlyArray<Fact> =>
  facts.filter((fact) => fact.cursor === cursor && fact.topic !== "other").sort((a, b) => Number(a.attribute === "statement") - Number(b.attribute === "statement"))

/** What the person spoke of a while ago and nobody has come back to: the oldest first. */
export const openLoops = (facts: ReadonlyArray<Fact>, before: number, alreadySaid: (text: string) => boolean): ReadonlyArray<Fact> => {
  const seen = new Set<string>()
  return facts.filter((fact) => {
    if (!SPOKEN_OF.has(fact.topic) || fact.cursor >= before || seen.has(fact.subject)) return false
    seen.add(fact.subject)
    return !alreadySaid(slotsOf(fact, facts).subject ?? "")
  })
}
