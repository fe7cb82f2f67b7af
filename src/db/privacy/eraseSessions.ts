import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { erase } from "#src/db/postgres/catalogue/erase.ts"

/** Deletes sessions with all their data in the caller's transaction, which has locked the allowances. */
export const eraseSessions = Effect.fnUntraced(function* (appId: string, sessionIds: ReadonlyArray<string>) {
  const { query } = yield* Database
  const ids = [...sessionIds].sort()
  yield* query(
    (sql) =>
      sql`select 1 from session_logs
        where app_id = ${appId} and session_id = any(${ids}::text[]) order by session_id for update`
  )
  yield* erase("session", { appId, sessionIds: ids })
})
