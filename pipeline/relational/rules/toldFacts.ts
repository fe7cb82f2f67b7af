import { terms } from "../../retrieval/terms.ts"
import { topicsTold } from "../../retrieval/topics/topics.ts"
import type { Fact } from "./Fact.ts"
import { PATTERNS } from "./factPatterns.ts"
import { tellingWords } from "./notFacts.ts"
import { kin, topicOf } from "./topics.ts"

const MAX_VALUE_CHARS = 40
const PLAIN = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} '’&.-]*$/u

/** Values are short and plain, because the character repeats them. */
export const isPlainValue = (value: string): boolean => value.length <= MAX_VALUE_CHARS && PLAIN.test(value)

const isName = (value: string): boolean =>
  tellingWords(value).length > 0 && terms(value).every((word) => topicsTold(word).size === 0)

/** What the patterns recognize in a sentence. `quote`: the words in which the person said it. */
export const toldFacts = (sentence: string, quote: string, cursor: number): ReadonlyArray<Fact> =>
  PATTERNS.flatMap(({ attribute, topic, pattern, subject, value }) => {
    const match = pattern.exec(sentence)
    const matched = match?.[value]?.trim() ?? ""
    // "my dog Biscuit's afraid" tells the name Biscuit.
    const said = attribute === "name" ? matched.replace(/['’]s$/u, "") : matched
    if (match === null || said === "" || !(attribute === "doing" ? said.length <= 70 : isPlainValue(said))) return []
    // "soy celíaco", "I'm vegan" and "ich bin müde" do not tell a name.
    if (attribute === "name" && subject === undefined && !isName(said)) return []
    const of = subject === undefined ? "" : kin(match[subject] ?? "")
    return [
      {
        subject: of,
        attribute,
        topic: topic ?? (of === "" ? "other" : topicOf(of)),
        value: said,
        quote,
        text: sentence,
        cursor
      }
    ]
  })
