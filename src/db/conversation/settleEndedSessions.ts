import { recordUsage, insertLedgerEntries } from "#src/db/billing/moneyStatements.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { reservationSettlement } from "./endReservation.ts"

/**
 * Settles the waiting turns of ended sessions: their outcome is `session.exited`, and their reservations are released.
 * The cost of their failed attempts stays booked. A running turn settles itself with its cost.
 */
export const settleEndedSessions = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) => sql`
  with settled as (
    update turns t set outcome = 'exited', settled_at = now(), cost_micro_usd = coalesce(t.cost_micro_usd, 0),
      reading_hold_micro_usd = 0
    from unnest(${apps}::text[], ${sessions}::text[]) as x(app_id, session_id) join session_logs l using (app_id,
      session_id) join sessions c using (app_id, session_id)
    where t.app_id = x.app_id and t.session_id = x.session_id and t.outcome is null and t.owner is null
      and l.status <> 'active'
    returning t.app_id, t.session_id, t.turn_index, t.run_ref, t.reply_mode, t.source_kind, t.hold_micro_usd,
      t.reading_hold_micro_usd, t.accepted_at, c.external_user_ref
  ), counted as (
    update session_logs l set open_turns = l.open_turns - x.turns
    from (select app_id, session_id, count(*)::int as turns from settled group by 1, 2) x
    where l.app_id = x.app_id and l.session_id = x.session_id
  ), moves as (
    ${reservationSettlement(sql, "settled", sql`0`)}
  ), released as (
    ${insertLedgerEntries(sql, "settled", "release", sql`reading_hold_micro_usd - hold_micro_usd`)}
  )
  ${recordUsage(sql, "moves")}`

/** Releases the reservations of turns that are about to be deleted, and so never settle. */
export const releaseReservations = (sql: Sql, app: string, sessions: ReadonlyArray<string>) => sql`
  with settled as (
    select t.*, c.external_user_ref from turns t join sessions c using (app_id, session_id)
    where t.app_id = ${app} and t.session_id = any(${sessions}::text[]) and t.outcome is null
  ), unread as (
    select t.*, c.external_user_ref from turns t join sessions c using (app_id, session_id)
    where t.app_id = ${app} and t.session_id = any(${sessions}::text[]) and t.reading_hold_micro_usd > 0
  ), moves as (
    ${reservationSettlement(sql, "settled", sql`0`)}
    union all
    select app_id, external_user_ref, accepted_at, -reading_hold_micro_usd, 0 from unread
  ), released as (
    ${insertLedgerEntries(sql, "settled", "release", sql`reading_hold_micro_usd - hold_micro_usd`)}
  ), released_readings as (
    ${insertLedgerEntries(sql, "unread", "release_reading", sql`-reading_hold_micro_usd`)}
  )
  ${recordUsage(sql, "moves")}`
