import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * What the turns in `of` move when they end: what they have cost by now, and back what was held for them from when it
 * was.
 */
export const endOfHold = (sql: Sql, of: string, cost: postgres.PendingQuery<postgres.Row[]>) => sql`
  select app_id, external_user_ref, now() as at, ${cost} as amount, 0 as sent from ${sql(of)}
  union all
  select app_id, external_user_ref, accepted_at, reading_hold_micro_usd - hold_micro_usd, 0 from ${sql(of)}`
