import type { Fact } from "./Fact.ts"
import { statement } from "./statement.ts"
import { subjectIn } from "./subjects.ts"
import { toldFacts } from "./toldFacts.ts"
import { topicOf } from "./topics.ts"

/**
 * What a memory says. It was read before, so it is a fact whatever its form. `memoryId`: for a memory that has no
 * position on the log.
 */
export const factsInMemory = (text: string, cursor: number, memoryId?: string): ReadonlyArray<Fact> => {
  const subject = subjectIn(text)
  const said = statement(text, cursor)
  const whole: Fact = subject === null ? said : { ...said, subject: subject.noun, topic: topicOf(subject.noun) }
  const facts = [...toldFacts(text, text, cursor), whole]
  return memoryId === undefined ? facts : Array.from(facts, (fact) => ({ ...fact, memoryId }))
}
