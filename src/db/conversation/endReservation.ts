import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The moves of the turns in `of` when they end: their final cost, and the refund of their reservation, dated when it
 * was made.
 */
export const reservationSettlement = (sql: Sql, of: string, cost: postgres.PendingQuery<postgres.Row[]>) => sql`
  select app_id, external_user_ref, now() as at, ${cost} as amount, 0 as sent from ${sql(of)}
  union all
  select app_id, external_user_ref, accepted_at, reading_hold_micro_usd - hold_micro_usd, 0 from ${sql(of)}`
