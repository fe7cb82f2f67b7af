import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"

const contentWords = (texts: ReadonlyArray<string>): ReadonlySet<string> => new Set(contentOf(terms(texts.join("\n"))))

/**
 * Whether a rewrite keeps what the draft took from these memories: for each memory, at least half of the words that the
 * draft took from it, and every number.
 */
export const keepsFacts = (
  draft: ReadonlyArray<string>,
  rewritten: ReadonlyArray<string>,
  memories: ReadonlyArray<string>
): boolean => {
  const before = contentWords(draft)
  const after = contentWords(rewritten)
  return memories.every((memory) => {
    const taken = [...contentWords([memory])].filter((word) => before.has(word))
    const kept = taken.filter((word) => after.has(word))
    return kept.length * 2 >= taken.length && taken.every((word) => !/\d/.test(word) || after.has(word))
  })
}
