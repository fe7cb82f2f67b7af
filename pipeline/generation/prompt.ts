import type { ChatMessage } from "../chat.ts"
import { maySendPicture } from "../emission/picture.ts"
import { historyTurns } from "./historyTurns.ts"
import { JSON_FORM, LAST_WORD, PLAIN_FORM, PROACTIVE_LAST_WORD } from "./serviceRules.ts"
import { stablePartOf } from "./stablePart.ts"
import { type AnswerForm, turnPartOf } from "./turnPart.ts"
import type { WriteRequest } from "./Writer.ts"

/** Whether the only thing to decide is the text of the reply. Then no JSON is needed. */
export const isPlain = ({ turn, safety, decisions }: WriteRequest): boolean =>
  decisions.length === 1 && decisions[0] === "reply" && turn.proactive === undefined && !maySendPicture(turn, safety)

/**
 * One request as chat messages: the stable part, what was said, and the part of this turn. Everything before the last
 * message only grows from turn to turn, in both forms, so that providers can cache it.
 */
export const prompt = (request: WriteRequest, form: AnswerForm = "json"): ReadonlyArray<ChatMessage> => {
  const turns = historyTurns(request.history)
  const last = turns.at(-1)
  const closing = [
    ...turnPartOf(request, form),
    request.turn.proactive === undefined ? LAST_WORD : PROACTIVE_LAST_WORD,
    form === "json" ? JSON_FORM : PLAIN_FORM
  ].join("\n\n")
  return [
    { role: "system", content: stablePartOf(request.turn.character) },
    ...(last?.role === "user"
      ? [...turns.slice(0, -1), { role: "user" as const, content: `${last.content}\n\n${closing}` }]
      : [...turns, { role: "user" as const, content: closing }])
  ]
}
