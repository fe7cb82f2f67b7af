import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"

/** The person's own request overrides what the app sets for the session. */
export const optOutOfProactive = Effect.fnUntraced(function* (appId: string, sessionId: string) {
  const [{ query }, relationships] = [yield* Database, yield* Relationships]
  yield* query(
    (sql) => sql`
        update sessions set proactive_controls = proactive_controls || '{"proactive_enabled": false}'
          where app_id = ${appId} and session_id = ${sessionId}`
  )
  const at = new Date(yield* Clock.currentTimeMillis)
  yield* relationships.amend({ appId, sessionId }, ({ bearing: { preferences } }) =>
    Effect.succeed({
      at,
      patch: preferences.opted_out
        ? EMPTY_PATCH
        : {
            ...EMPTY_PATCH,
            bearing: {
              preferences: {
                ...preferences,
                opted_out: true,
                field_sources: { ...preferences.field_sources, opted_out: "explicit" as const }
              }
            }
          }
    })
  )
}, inTransaction)
