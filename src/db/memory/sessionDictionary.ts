import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { dictionaryFor } from "./stemming.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/**
 * The dictionary that stems the words of each of these sessions, by index: for the end-user's language, or else the
 * character's.
 */
export const sessionDictionaries = Effect.fnUntraced(function* (sessions: ReadonlyArray<SessionRef>) {
  const { query } = yield* Database
  const rows = yield* query<Array<{ n: number; locale: string | null; languages: ReadonlyArray<string> | null }>>(
    (sql) => sql`
    select w.n::int, u.locale, v.profile -> 'voice' -> 'languages' as languages
    from unnest(${sessions.map(({ appId }) => appId)}::text[],
      ${sessions.map(({ sessionId }) => sessionId)}::text[]) with ordinality as w(app_id, session_id, n)
      join sessions s using (app_id, session_id) join end_users u using (app_id, external_user_ref)
        join characters c on c.app_id = s.app_id and c.slug = s.character_slug
      join character_versions v on v.app_id = c.app_id and v.slug = c.slug and v.version = c.version`
  )
  const found = new Map(rows.map((row) => [row.n, row]))
  return (place: number): string =>
    dictionaryFor([found.get(place + 1)?.locale, ...(found.get(place + 1)?.languages ?? [])])
})
