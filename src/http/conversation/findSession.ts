import * as Effect from "effect/Effect"
import { isId } from "#pipeline/domain/Id.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { sessionNotFound } from "./conversationErrors.ts"

/** A session of the app. The same 404 for sessions that do not exist and those of other apps. */
export const findSession = Effect.fnUntraced(function* (appId: string, sessionId: string) {
  const session = isId("ses", sessionId) ? yield* Sessions.use((sessions) => sessions.get(appId, sessionId)) : undefined
  return session ?? (yield* sessionNotFound)
})
