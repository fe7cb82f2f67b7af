import type { ChatMessage } from "../chat.ts"
import { maySendPicture } from "../emission/picture.ts"
import type { Utterance } from "../retrieval/Transcript.ts"
import { PLAIN_LAST_WORD, PLAIN_RULES } from "./serviceRules.ts"
import { stablePartOf } from "./stablePart.ts"
import { turnPartOf } from "./turnPart.ts"
import type { WriteRequest } from "./Writer.ts"

/** Whether the only thing to decide is the text of the reply. Then no JSON is needed. */
export const isPlain = ({ turn, safety, decisions }: WriteRequest): boolean =>
  decisions.length === 1 && decisions[0] === "reply" && turn.proactive === undefined && !maySendPicture(turn, safety)

/** Limit for the history, in characters. */
const HISTORY_MAX_CHARS = 6_000

/** Alternating chat turns that start with the person, as the templates of many local models require. */
const alternating = (said: ReadonlyArray<Utterance>): ReadonlyArray<ChatMessage> => {
  const turns: Array<{ role: "user" | "assistant"; content: string }> = []
  for (const { role, text } of said) {
    const last = turns.at(-1)
    const as = role === "user" ? ("user" as const) : ("assistant" as const)
    if (last?.role === as) last.content += `\n\n${text}`
    else turns.push({ role: as, content: text })
  }
  return turns[0]?.role === "assistant" ? [{ role: "user", content: "(The chat begins.)" }, ...turns] : turns
}

/** The newest utterances that fit. */
const newest = (history: ReadonlyArray<Utterance>): ReadonlyArray<Utterance> => {
  let left = HISTORY_MAX_CHARS
  return history.slice(history.findLastIndex(({ text }) => (left -= text.length) < 0) + 1)
}

/**
 * A request for a plain-text reply: what was said as chat turns, and the context of this turn along with the message.
 */
export const plainPrompt = (request: WriteRequest): ReadonlyArray<ChatMessage> => {
  const turns = alternating(newest(request.history))
  const last = turns.at(-1)
  const closing = [...turnPartOf(request, { history: false }), PLAIN_LAST_WORD].join("\n\n")
  return [
    { role: "system", content: stablePartOf(PLAIN_RULES, request.turn.character) },
    ...(last?.role === "user"
      ? [...turns.slice(0, -1), { role: "user" as const, content: `${last.content}\n\n${closing}` }]
      : [...turns, { role: "user" as const, content: closing }])
  ]
}
