import type { Fact } from "#pipeline/relational/rules/Fact.ts"

/** The name of the one whom a fact is about, if it is known. */
export const nameOf = (fact: Fact, facts: ReadonlyArray<Fact>): string | undefined =>
  facts.findLast(({ attribute, subject }) => attribute === "name" && subject === fact.subject)?.value

const DEAD = new RegExp(
  String.raw`\b(?:died|dead|passed(?: away)?|late|funeral|buried|widow(?:er|ed)?|lost)\b|` +
    String.raw`(?<!\p{L})(?:morreu|faleceu|gestorben|verstorben\p{L}{0,2}|murió|falleció)(?!\p{L})`,
  "iu"
)
/** Whether the person has said that the one whom a fact is about is dead. */
export const isMourned = (fact: Fact, facts: ReadonlyArray<Fact>): boolean => {
  if (fact.subject === "" || !["person", "pet"].includes(fact.topic)) return false
  const name = nameOf(fact, facts)
  return facts.some(
    ({ subject, text }) => DEAD.test(text) && (subject === fact.subject || (name !== undefined && text.includes(name)))
  )
}
