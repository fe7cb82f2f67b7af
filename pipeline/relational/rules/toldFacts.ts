import type { Fact } from "./Fact.ts"
import { PATTERNS } from "./factPatterns.ts"
import { kin, topicOf } from "./topics.ts"

const MAX_VALUE_CHARS = 40
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’&.-]*$/u

/** Values are short and plain, because the character repeats them. */
export const isPlainValue = (value: string): boolean => value.length <= MAX_VALUE_CHARS && PLAIN.test(value)

/** What the patterns recognize in a sentence. */
export const toldFacts = (sentence: string, cursor: number): ReadonlyArray<Fact> =>
  PATTERNS.flatMap(({ attribute, topic, pattern, subject, value }) => {
    const match = pattern.exec(sentence)
    const said = match?.[value]?.trim() ?? ""
    if (match === null || said === "" || !(attribute === "doing" ? said.length <= 70 : isPlainValue(said))) return []
    const of = subject === undefined ? "" : kin(match[subject] ?? "")
    return [
      {
        subject: of,
        attribute,
        topic: topic ?? (of === "" ? "other" : topicOf(of)),
        value: said,
        quote: sentence,
        cursor
      }
    ]
  })
