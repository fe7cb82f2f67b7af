import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OperationalLog } from "#channels/OperationalLog.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/** The shares of a budget, in percent, at which its app is notified. */
const WARN_AT = [80, 100] as const
/** Maximum number of apps per round. */
const PER_ROUND = 500

interface Due {
  readonly app_id: string
  readonly period: "day" | "month" | "total"
  readonly share: (typeof WARN_AT)[number]
  readonly limit_micro_usd: number
  readonly used_micro_usd: number
}

/**
 * Notifies apps, on their operational log, that a budget is nearly or fully used: once per share for the day, the month
 * and all time. Checked every minute, separately from sends.
 */
export class BudgetWarnings extends Context.Service<
  BudgetWarnings,
  {
    readonly warn: Effect.Effect<void, DatabaseError>
  }
>()("src/db/billing/BudgetWarnings") {
  static readonly layer = Layer.effect(
    BudgetWarnings,
    Effect.gen(function* () {
      const { query } = yield* Database
      const log = yield* OperationalLog

      const due = query<Array<Due>>(
        (sql) => sql`
      with budget as (
        select app_id, 'day' as period, daily_limit_micro_usd as limit_micro_usd, day_used(a) as used_micro_usd, case
          when day = utc_today() then day_warned else 0 end as warned from allowances a where kind = 'app'
        union all
        select app_id, 'month', monthly_limit_micro_usd, month_used(a), case when is_this_month(day) then month_warned
          else 0 end from allowances a where kind = 'app'
        union all
        select app_id, 'total', total_limit_micro_usd, total_used_micro_usd, total_warned from allowances
          where kind = 'app'
      )
      select b.app_id, b.period, b.limit_micro_usd, b.used_micro_usd, max(s.share) as share
      from budget b join unnest(${[...WARN_AT]}::int[]) as s(share) on b.used_micro_usd * 100 >= b.limit_micro_usd *
        s.share and s.share > b.warned
      where b.limit_micro_usd > 0
      group by 1, 2, 3, 4 order by 1, 2 limit ${PER_ROUND}`
      )
      // Sends the warning first and records it afterwards, so a crash in between sends it again. Jobs of this kind run
      // one after another.
      const tell = Effect.fnUntraced(function* ({ app_id, period, share, limit_micro_usd, used_micro_usd }: Due) {
        yield* log.append({
          appId: app_id,
          type: "budget.warning",
          payload: {
            period,
            share_percent: share,
            limit_usd: limit_micro_usd / 1_000_000,
            used_usd: used_micro_usd / 1_000_000
          }
        })
        yield* query(
          (sql) => sql`
        update allowances set ${sql(`${period}_warned`)} =
          ${share} where app_id = ${app_id} and kind = 'app'
            and case ${period} when 'day' then day = utc_today() when 'month' then is_this_month(day) else true end`
        )
      })

      return BudgetWarnings.of({ warn: Effect.flatMap(due, (rows) => Effect.forEach(rows, tell, { discard: true })) })
    })
  )
}
