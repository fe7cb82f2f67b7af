import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"

interface Answer {
  readonly is_standby: boolean
  readonly oldest_transaction_at: Date | null
}

/** How the database is, and how long it takes to say so. */
export const askDatabase = Effect.gen(function* () {
  const { query } = yield* Database
  const asked = yield* Clock.currentTimeMillis
  const [row] = yield* query<Array<Answer>>(
    (sql) => sql`
    select pg_is_in_recovery() as is_standby, (select min(xact_start) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid())
      as oldest_transaction_at`
  )
  return { ...row!, answered_in_ms: (yield* Clock.currentTimeMillis) - asked }
})
