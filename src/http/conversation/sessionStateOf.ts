import * as Effect from "effect/Effect"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { CharacterVersions } from "#src/db/character/CharacterVersions.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import type { Session } from "#src/db/conversation/Sessions.ts"
import { sessionNotFound } from "./conversationErrors.ts"

/** The relationship of a session, with the current character and whether the app may see scores. */
export const sessionStateOf = Effect.fnUntraced(function* (appId: string, session: Session) {
  const [character, owner, relationship] = yield* Effect.all(
    [
      CharacterVersions.use((versions) => versions.get(appId, session.character_slug, session.character_version)),
      Apps.use((apps) => apps.get(appId)),
      Relationships.use((relationships) => relationships.stateOf({ appId, sessionId: session.session_id }))
    ],
    { concurrency: 3 }
  )
  // The session was erased in the meantime.
  if (owner === undefined) return yield* sessionNotFound
  return { character, relationship, exposes: owner.expose_relational_numerics }
})
