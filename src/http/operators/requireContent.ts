import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { BreakGlass } from "#src/db/operators/BreakGlass.ts"
import { contentClosed } from "./operatorAccessErrors.ts"

/**
 * For every answer with what was said in a session: fails with `content_closed`, unless this operator has given a
 * reason within the last 15 minutes. Returns until when the content is open.
 */
export const requireContent = Effect.fnUntraced(function* ({ operator }: FastifyRequest, sessionId: string) {
  const until = yield* BreakGlass.use((glass) => glass.mayReadContent(operator, sessionId))
  return until ?? (yield* contentClosed(sessionId))
})
