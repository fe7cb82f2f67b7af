import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { PRICE_VERSION } from "#src/model/prices.ts"
import { Database, type DatabaseError } from "./Database.ts"

export type Activity = "transcription"

/** What was bought, to be named again when it comes to nothing. */
export interface Expense {
  readonly appId: string
  readonly runRef: string
  readonly activity: Activity
  readonly microUsd: number
}

/** What an app pays for outside of turns, at a price that is known beforehand, out of the same budgets. Amounts in millionths of a dollar. */
export class Expenses extends Context.Service<Expenses, {
  /** Taken and booked before it is spent. Null: the budget does not cover it, and nothing was taken. */
  readonly take: (appId: string, activity: Activity, microUsd: number) => Effect.Effect<Expense | null, DatabaseError>
  /** What was taken and not spent. */
  readonly giveBack: (expense: Expense) => Effect.Effect<void, DatabaseError>
}>()("src/db/Expenses") {
  static readonly layer = Layer.effect(Expenses, Effect.gen(function*() {
    const { query } = yield* Database

    // Behind another's lock the row is looked at again as it is then.
    const book = ({ appId, runRef, activity }: Expense, microUsd: number) => query((sql) => sql`
      with counted as (
        update allowances a set day = utc_today(), day_used_micro_usd = greatest(0, day_used(a) + ${microUsd}::bigint), month_used_micro_usd = greatest(0, month_used(a) + ${microUsd}::bigint),
          day_messages = day_sent(a), day_warned = case when a.day = utc_today() then a.day_warned else 0 end, month_warned = case when is_this_month(a.day) then a.month_warned else 0 end
        where app_id = ${appId} and kind = 'app' and (${microUsd}::bigint < 0 or not hard_stop
          or (day_used(a) + ${microUsd}::bigint <= daily_limit_micro_usd) is not false and (month_used(a) + ${microUsd}::bigint <= monthly_limit_micro_usd) is not false)
        returning 1
      )
      insert into ledger (app_id, run_ref, activity, entry, amount_micro_usd, price_version)
      select ${appId}, ${runRef}, ${activity}, 'settle', ${microUsd}, ${PRICE_VERSION}
      where exists (select from counted) or not exists (select from allowances where app_id = ${appId} and kind = 'app')
      returning 1`)

    return Expenses.of({
      take: Effect.fnUntraced(function*(appId, activity, microUsd) {
        const expense = { appId, runRef: newId("run"), activity, microUsd }
        return (yield* book(expense, microUsd)).length > 0 ? expense : null
      }),
      giveBack: (expense) => Effect.asVoid(book(expense, -expense.microUsd))
    })
  }))
}
