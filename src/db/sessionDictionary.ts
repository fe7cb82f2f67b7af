import * as Effect from "effect/Effect"
import { Database } from "./Database.ts"
import { dictionaryFor } from "./stemming.ts"
import type { SessionRef } from "./Turns.ts"

/** The dictionary by which the words of a session are stemmed: that of the end-user's language, or else of the character's. */
export const sessionDictionary = Effect.fnUntraced(function*({ appId, sessionId }: SessionRef) {
  const { query } = yield* Database
  const [row] = yield* query<Array<{ locale: string | null; languages: ReadonlyArray<string> | null }>>((sql) => sql`
    select u.locale, v.profile -> 'voice' -> 'languages' as languages
    from sessions s join end_users u using (app_id, external_user_ref) join characters c on c.app_id = s.app_id and c.slug = s.character_slug
      join character_versions v on v.app_id = c.app_id and v.slug = c.slug and v.version = c.version
    where s.app_id = ${appId} and s.session_id = ${sessionId}`)
  return dictionaryFor([row?.locale, ...row?.languages ?? []])
})
