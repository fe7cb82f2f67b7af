import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "./Database.ts"

/** What an app pays for outside of turns, out of the same monthly budget. Amounts in millionths of a dollar. */
export class Expenses extends Context.Service<Expenses, {
  /** Taken before it is spent. False: the budget does not cover it, and nothing was taken. */
  readonly take: (appId: string, microUsd: number) => Effect.Effect<boolean, DatabaseError>
  /** What was taken and not spent. */
  readonly giveBack: (appId: string, microUsd: number) => Effect.Effect<void, DatabaseError>
}>()("src/db/Expenses") {
  static readonly layer = Layer.effect(Expenses, Effect.gen(function*() {
    const { query } = yield* Database
    return Expenses.of({
      // Behind another's lock the row is looked at again as it is then.
      take: (appId, microUsd) => query((sql) => sql`
        with taken as (
          update app_budgets b set month = date_trunc('month', now() at time zone 'utc')::date,
            used_micro_usd = case when b.month = date_trunc('month', now() at time zone 'utc')::date then b.used_micro_usd else 0 end + ${microUsd}::bigint
          where app_id = ${appId}
            and case when b.month = date_trunc('month', now() at time zone 'utc')::date then b.used_micro_usd else 0 end + ${microUsd}::bigint <= b.monthly_limit_micro_usd
          returning 1
        )
        select 1 where exists (select from taken) or not exists (select from app_budgets where app_id = ${appId})`).pipe(Effect.map((rows) => rows.length > 0)),
      giveBack: (appId, microUsd) => query((sql) => sql`
        update app_budgets set used_micro_usd = greatest(0, used_micro_usd - ${microUsd}::bigint)
        where app_id = ${appId} and month = date_trunc('month', now() at time zone 'utc')::date`).pipe(Effect.asVoid)
    })
  }))
}
