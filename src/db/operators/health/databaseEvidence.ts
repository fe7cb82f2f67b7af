import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { aheadSeconds } from "#src/db/postgres/aheadSeconds.ts"
import { asynchronousStandbys } from "#src/db/postgres/asynchronousStandbys.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { compareAddresses } from "#src/db/postgres/pooler.ts"

interface Answer {
  readonly now: Date
  readonly is_standby: boolean
  readonly asynchronous_standbys: number
  readonly oldest_transaction_at: Date | null
}

/** How the database is, how long it takes to say so, and what time it has. */
export const askDatabase = Effect.gen(function* () {
  const { query } = yield* Database
  const asked = yield* Clock.currentTimeMillis
  const [row] = yield* query<Array<Answer>>(
    (sql) => sql`
    select clock_timestamp() as now, pg_is_in_recovery() as is_standby,
      ${asynchronousStandbys(sql)} as asynchronous_standbys,
      (select min(xact_start) from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid())
      as oldest_transaction_at`
  )
  const answered = yield* Clock.currentTimeMillis
  const { now, ...found } = row!
  return {
    now,
    found: {
      ...found,
      answered_in_ms: answered - asked,
      clock_ahead_seconds: aheadSeconds(asked, now.getTime(), answered),
      direct_address: yield* compareAddresses
    }
  }
})
