import { fitting } from "../chat.ts"
import { isAboutSelf } from "../grounding/rules.ts"
import type { Recalled } from "../retrieval/Retrieved.ts"
import { saysNothing } from "../retrieval/saysNothing.ts"
import { shownHistory } from "../retrieval/shownHistory.ts"
import { memoryId } from "../retrieval/Transcript.ts"
import { FEWEST_MEMORIES_MAX_CHARS, MEMORIES_MAX_CHARS, SIDE_MEMORIES_MAX_CHARS } from "./blockLimits.ts"
import { noted, quoted } from "./quotes.ts"
import type { WriteRequest } from "./Writer.ts"

/** Recalled lines with a lower score, relative to the best of their search, are rarely relevant to the message. */
const RECALLED_FROM = 0.35

const ONLY_QUESTION = /^[^.!?]*\?+\s*$/u

/** What does not say how something is with the person: words of the character, and questions. */
const tellsLittle = ({ role, text }: Recalled): boolean => role === "character" || ONLY_QUESTION.test(text)

/** Whether the message may ask for what the person has told. */
const asksForMemories = ({ turn, grounding: { intent, asksAbout } }: WriteRequest): boolean =>
  asksAbout.includes("user_past") || (intent === "question" && isAboutSelf(turn.text))

/** Whether something that the person told answers the message. */
export const isAnswered = ({ retrieved: { memories, recalled }, grounding }: WriteRequest): boolean => {
  const answering = new Set(grounding.relevantIds)
  return (
    memories.some(({ id }) => answering.has(id)) ||
    recalled.some((said) => answering.has(memoryId(said)) && !tellsLittle(said))
  )
}

/**
 * What is remembered and is not in the prompt already. What answers the message comes first, and is marked. There is
 * much room for the rest only if the message asks for what was told and nothing answers it: it is new in every prompt,
 * so no provider has it in its cache.
 */
export const memoriesOf = (request: WriteRequest, hasExamples: boolean): ReadonlyArray<unknown> => {
  const { retrieved, grounding, history, relationship } = request
  const answering = new Set(grounding.relevantIds)
  const answered = isAnswered(request)
  const shown = new Set(shownHistory(history).map(({ text }) => text))
  const texts = new Set<string>()
  const isNew = ({ text }: { readonly text: string }) => {
    if (shown.has(text) || texts.has(text)) return false
    texts.add(text)
    return true
  }
  const isRelevant = (said: Recalled) =>
    answering.has(memoryId(said))
      ? !answered || !tellsLittle(said)
      : said.score >= RECALLED_FROM &&
        !saysNothing(said.text) &&
        (said.role === "character" ? !answered : !tellsLittle(said))
  const entries = [
    ...retrieved.memories
      .filter(({ id, text }) => answering.has(id) || !relationship.summary.includes(text))
      .filter(isNew)
      .map((one) => noted(one, answering.has(one.id))),
    ...retrieved.recalled
      .filter(isRelevant)
      .filter(isNew)
      .map((said) => quoted(said, answering.has(memoryId(said))))
  ]
  const answers = fitting(
    entries.filter((entry) => "answers" in entry),
    MEMORIES_MAX_CHARS
  )
  const room =
    !answered && asksForMemories(request)
      ? MEMORIES_MAX_CHARS
      : hasExamples
        ? FEWEST_MEMORIES_MAX_CHARS
        : SIDE_MEMORIES_MAX_CHARS
  return [
    ...answers,
    ...fitting(
      entries.filter((entry) => !("answers" in entry)),
      Math.min(room, MEMORIES_MAX_CHARS - JSON.stringify(answers).length)
    )
  ]
}
