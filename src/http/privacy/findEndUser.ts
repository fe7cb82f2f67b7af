import * as Effect from "effect/Effect"
import { EndUsers } from "#src/db/privacy/EndUsers.ts"
import { isExternalUserRef } from "./externalUserRef.ts"
import { endUserNotFound } from "./privacyErrors.ts"

/** An end-user of the app, or the one 404 for who is not there and who is another's. */
export const findEndUser = Effect.fnUntraced(function* (appId: string, ref: string) {
  const person = isExternalUserRef(ref) ? yield* EndUsers.use((people) => people.get(appId, ref)) : undefined
  return person ?? (yield* endUserNotFound)
})
