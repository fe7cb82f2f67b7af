import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { Prices } from "#src/model/prices.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { countPictures, recordUsage, lockAllowances } from "./moneyStatements.ts"

export type Activity = "transcription" | "image" | "probe" | "research" | "eval"

/** Who pays: an app, on behalf of an end-user through one of its sessions, or without one. */
export interface Payer {
  readonly appId: string
  readonly sessionId: string | null
}

/** An expense. The same values identify it for a refund. */
export interface Expense extends Payer {
  readonly runRef: string
  readonly activity: Activity
  readonly microUsd: number
}

/** Costs outside of turns with a price known beforehand, charged to the same budgets and caps. Amounts in micro-USD. */
export class Expenses extends Context.Service<
  Expenses,
  {
    /**
     * Reserves and books the amount before it is spent. Null: the app's budget or the end-user's cap does not cover it,
     * and nothing was written.
     */
    readonly charge: (
      payer: Payer,
      activity: Activity,
      microUsd: number,
      runRef?: string
    ) => Effect.Effect<Expense | null, DatabaseError>
    /** Why it would be refused now. Null: nothing prevents it. Writes nothing. */
    readonly refusalReason: (
      payer: Payer,
      activity: Activity,
      microUsd: number
    ) => Effect.Effect<"budget" | "cap" | null, DatabaseError>
    /** Books spending beyond the reserved amount, regardless of the budget. */
    readonly chargeMore: (expense: Expense) => Effect.Effect<void, DatabaseError>
    /** Refunds what was reserved and not spent. For a partial refund, the expense has that amount. */
    readonly refund: (expense: Expense) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/billing/Expenses") {
  static readonly layer = Layer.effect(
    Expenses,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const { version } = yield* Prices

      /** Pictures are counted as well as charged, even free ones: plus one per expense, minus one per refund. */
      const picturesOf = (activity: Activity, direction: 1 | -1) => (activity === "image" ? direction : 0)
      const allowancesOf = (sql: Sql) => sql`
      left join allowances a on a.app_id = m.app_id and a.kind = 'app'
      left join allowances u on u.app_id = m.app_id and u.kind = 'end_user'
        and u.external_user_ref = m.external_user_ref
      left join allowances d on d.app_id = u.app_id and d.kind = 'default'`

      /** A deleted session has no end-user to count for, but still an app. */
      const book = Effect.fnUntraced(function* (
        { appId, sessionId, runRef, activity }: Expense,
        microUsd: number,
        direction: 1 | -1,
        bounded: boolean = true
      ) {
        const pictures = picturesOf(activity, direction)
        yield* query((sql) => lockAllowances(sql, [appId], [sessionId]))
        const booked = yield* query(
          (sql) => sql`
        with asked as (
          select a.*, c.external_user_ref, now() as at, ${microUsd}::bigint as amount, 0 as sent
          from (values (${appId}::text, ${sessionId}::text)) as a(app_id, session_id) left
            join sessions c using (app_id, session_id)
        ), moves as (
          select m.* from asked m
          ${allowancesOf(sql)}
          where ${direction}::int < 0 or not
            ${bounded}::boolean or is_over_budget(a, amount) is not true and is_over_cap(u, d, amount) is not true
              and (${pictures}::int = 0 or is_over_images(u, d, ${pictures}::int) is not true)
        ), counted_use as (
          ${recordUsage(sql, "moves")}
        )
        insert into ledger (app_id, run_ref, session_id, activity, entry, amount_micro_usd, price_version, pictures)
        select app_id, ${runRef}, session_id,
          ${activity}, 'settle', amount, ${version}, nullif(${pictures}::int, 0) from moves
        returning 1`
        )
        if (booked.length > 0 && pictures !== 0) yield* query((sql) => countPictures(sql, appId, sessionId, pictures))
        return booked
      }, transaction)

      return Expenses.of({
        charge: Effect.fnUntraced(function* (payer, activity, microUsd, runRef = newId("run")) {
          const expense = { ...payer, runRef, activity, microUsd }
          return (yield* book(expense, microUsd, 1)).length > 0 ? expense : null
        }),
        refusalReason: ({ appId, sessionId }, activity, microUsd) =>
          query<Array<{ over: "budget" | "cap" | null }>>(
            (sql) => sql`
        select case when is_over_budget(a, ${microUsd}::bigint) then 'budget'
          when is_over_cap(u, d, ${microUsd}::bigint)
            or (${picturesOf(activity, 1)}::int > 0 and is_over_images(u, d, 1)) then 'cap' end as over
        from (select a.*, c.external_user_ref
          from (values (${appId}::text, ${sessionId}::text)) as a(app_id, session_id) left
            join sessions c using (app_id, session_id)) m
        ${allowancesOf(sql)}`
          ).pipe(Effect.map(([row]) => row?.over ?? null)),
        chargeMore: (expense) => Effect.asVoid(book(expense, expense.microUsd, 1, false)),
        refund: (expense) => Effect.asVoid(book(expense, -expense.microUsd, -1))
      })
    })
  )
}
