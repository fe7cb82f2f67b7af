import type { ChatMessage } from "../chat.ts"
import { PROACTIVE_LAST_WORD, LAST_WORD, SERVICE_RULES } from "./serviceRules.ts"
import { stablePartOf } from "./stablePart.ts"
import { turnPartOf } from "./turnPart.ts"
import type { WriteRequest } from "./Writer.ts"

const turnPart = (request: WriteRequest): string =>
  [
    ...turnPartOf(request, { history: true }),
    request.turn.proactive === undefined ? LAST_WORD : PROACTIVE_LAST_WORD
  ].join("\n\n")

/**
 * One request as chat messages: the stable part, then the part of this turn. There are only two messages, with the
 * history quoted, because the templates of many local models refuse a second system message or roles that do not
 * alternate.
 */
export const prompt = (request: WriteRequest): ReadonlyArray<ChatMessage> => [
  { role: "system", content: stablePartOf(SERVICE_RULES, request.turn.character) },
  { role: "user", content: turnPart(request) }
]
