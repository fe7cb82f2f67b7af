import { contentOf } from "../retrieval/contentWords.ts"
import { terms } from "../retrieval/terms.ts"
import { memoryId } from "../retrieval/Transcript.ts"
import type { WriteRequest } from "./Writer.ts"

/** How many words a reply has to share with a memory to cite it. All of them if the memory has fewer. */
const SHARED = 2

/**
 * The memories that a reply of a model relies on: those that share words with the reply that the
 * message does not contain.
 */
export const citationsOf = (
  bubbles: ReadonlyArray<string>,
  { turn, history, retrieved }: WriteRequest
): ReadonlyArray<string> => {
  const asked = new Set(terms(turn.text))
  const said = new Set(contentOf(terms(bubbles.join(" "))).filter((word) => !asked.has(word)))
  const leansOn = (text: string) => {
    const words = [...new Set(contentOf(terms(text)))]
    const shared = words.filter((word) => said.has(word)).length
    return shared > 0 && shared >= Math.min(SHARED, words.length)
  }
  return [
    ...retrieved.memories.filter(({ text }) => leansOn(text)).map(({ id }) => id),
    ...[...retrieved.recalled, ...history.filter(({ role }) => role === "user")]
      .filter(({ text }) => leansOn(text))
      .map(memoryId)
  ]
}
