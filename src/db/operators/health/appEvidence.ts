import type { BudgetEvidence, HoldEvidence, MismatchEvidence } from "#src/health/Evidence.ts"
import { BUDGET_SHARE } from "#src/health/limits.ts"
import { ALL_APPS } from "#src/db/delivery/isSuspendedByOperator.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { conversationsBefore, MOST, ofApp } from "./scope.ts"

/** A budget that has refused no send for this long is not reported for it. */
const REFUSED_SINCE = "5 minutes"

/**
 * Budgets of apps that are spent for the most part, or whose rest did not cover a message lately. Only apps that have a
 * budget have a row.
 */
export const budgetEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<BudgetEvidence>>(
      (sql) => sql`
      select a.app_id, b.period, b.limit_micro_usd, b.used_micro_usd, a.hard_stop, b.refused_at,
        ${conversationsBefore(sql, sql`a.app_id`, sql`now()`)} as reach
      from allowances a
      cross join lateral (select case when a.refused_at > now() - ${REFUSED_SINCE}::interval and a.hard_stop
        then least(a.daily_limit_micro_usd - day_used(a), a.monthly_limit_micro_usd - month_used(a)) end) as r(rest)
      cross join lateral (
        select v.*, case when v.period <> 'total' and v.limit_micro_usd - v.used_micro_usd = r.rest
          then a.refused_at end as refused_at
        from (values
          ('day', a.daily_limit_micro_usd, day_used(a)), ('month', a.monthly_limit_micro_usd, month_used(a)),
          ('total', a.total_limit_micro_usd, a.total_used_micro_usd)
        ) as v(period, limit_micro_usd, used_micro_usd)
      ) b
      where a.kind = 'app' ${ofApp(sql, sql`a.app_id`, appId)} and (b.refused_at is not null
        or b.limit_micro_usd > 0 and b.used_micro_usd * 100 >= b.limit_micro_usd * ${BUDGET_SHARE}::int)
      limit ${MOST}::int`
    )
  )

export const mismatchEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<MismatchEvidence>>(
      (sql) => sql`
      select app_id, found_at, turns, run_ref from ledger_mismatches
      where true ${ofApp(sql, sql`app_id`, appId)} limit ${MOST}::int`
    )
  )

/** What the operator has suspended. For an app: itself and its bots, if it has any. */
export const holdEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<HoldEvidence>>(
      (sql) => sql`
      select h.scope, h.kind, h.since, h.reason,
        case when h.scope <> ${ALL_APPS} then ${conversationsBefore(sql, sql`h.scope`, sql`h.since`)} end as reach
      from telegram_holds h where h.released_at is null ${
        appId === null
          ? sql``
          : sql`and h.scope in (${ALL_APPS}, ${appId}) and (h.kind in ('app', 'move', 'delivery')
            or exists (select from telegram_bots
            where app_id = ${appId} and status <> 'detached'))`
      }
      order by h.since limit ${MOST}::int`
    )
  )
