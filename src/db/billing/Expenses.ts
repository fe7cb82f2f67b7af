import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { AssumedPrices, type ModelUse } from "#src/model/assumedPrices.ts"
import { Prices } from "#src/model/prices.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { countPictures, recordUsage, lockAllowances } from "./moneyStatements.ts"

/** Longer than any work that reserves an amount. */
const SETTLED_WITHIN = "10 minutes"
const PER_ROUND = 100

export type Activity = "transcription" | "image" | "probe" | "research" | "eval" | "embedding"

const USES: Readonly<Record<Activity, ModelUse>> = {
  transcription: "voice",
  image: "pictures",
  probe: "text",
  research: "text",
  eval: "text",
  embedding: "embeddings"
}

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
  /** Default: what the activity always uses. */
  readonly use?: ModelUse
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
      options?: { readonly runRef?: string; readonly use?: ModelUse }
    ) => Effect.Effect<Expense | null, DatabaseError>
    /** Why it would be refused now. Null: nothing prevents it. Writes nothing. */
    readonly refusalReason: (
      payer: Payer,
      activity: Activity,
      microUsd: number
    ) => Effect.Effect<"budget" | "cap" | null, DatabaseError>
    /**
     * The same for work that nothing else records, to be settled once it has ended. If its process dies, the amount is
     * refunded after a while.
     */
    readonly reserve: (
      payer: Payer,
      activity: Activity,
      mostMicroUsd: number,
      options?: { readonly use?: ModelUse }
    ) => Effect.Effect<Expense | null, DatabaseError>
    /** Replaces what was reserved by what was spent. */
    readonly settle: (reserved: Expense, spentMicroUsd: number) => Effect.Effect<void, DatabaseError>
    /** Refunds reservations that nobody has settled. */
    readonly refundAbandoned: Effect.Effect<void, DatabaseError>
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
      const assumed = yield* AssumedPrices

      /** Pictures are counted as well as charged, even free ones: plus one per expense, minus one per refund. */
      const picturesOf = (activity: Activity, direction: 1 | -1) => (activity === "image" ? direction : 0)
      const allowancesOf = (sql: Sql) => sql`
      left join allowances a on a.app_id = m.app_id and a.kind = 'app'
      left join allowances u on u.app_id = m.app_id and u.kind = 'end_user'
        and u.external_user_ref = m.external_user_ref
      left join allowances d on d.app_id = u.app_id and d.kind = 'default'`

      /** A deleted session has no end-user to count for, but still an app. */
      const book = Effect.fnUntraced(function* (
        { appId, sessionId, runRef, activity, use = USES[activity] }: Expense,
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
        insert into ledger (app_id, run_ref, session_id, activity, entry, amount_micro_usd, price_version, pictures,
          unpriced)
        select app_id, ${runRef}, session_id,
          ${activity}, 'settle', amount, ${version}, nullif(${pictures}::int, 0),
          nullif(${assumed.has(use)}::boolean, false) from moves
        returning 1`
        )
        if (booked.length > 0 && pictures !== 0) yield* query((sql) => countPictures(sql, appId, sessionId, pictures))
        return booked
      }, transaction)

      const charge: Expenses["Service"]["charge"] = Effect.fnUntraced(function* (
        payer,
        activity,
        microUsd,
        { runRef = newId("run"), use } = {}
      ) {
        const expense = { ...payer, runRef, activity, microUsd, ...(use !== undefined && { use }) }
        return (yield* book(expense, microUsd, 1)).length > 0 ? expense : null
      })
      const chargeMore = (expense: Expense) => Effect.asVoid(book(expense, expense.microUsd, 1, false))
      const refund = (expense: Expense) => Effect.asVoid(book(expense, -expense.microUsd, -1))

      const reserve: Expenses["Service"]["reserve"] = Effect.fnUntraced(function* (payer, activity, most, options) {
        const expense = yield* charge(payer, activity, most, options)
        if (expense === null) return null
        const { appId, sessionId, runRef, use = null } = expense
        yield* query(
          (sql) => sql`
        insert into open_expenses (app_id, run_ref, session_id, activity, use, micro_usd, refund_at)
        values (${appId}, ${runRef}, ${sessionId}, ${activity}, ${use}, ${most}::bigint,
          now() + ${SETTLED_WITHIN}::interval)`
        )
        return expense
      }, transaction)

      const settle = Effect.fnUntraced(function* (reserved: Expense, spentMicroUsd: number) {
        const { appId, runRef } = reserved
        const open = yield* query(
          (sql) => sql`delete from open_expenses where app_id = ${appId} and run_ref = ${runRef} returning 1`
        )
        // It has taken so long that it was refunded.
        const left = (open.length > 0 ? reserved.microUsd : 0) - spentMicroUsd
        if (left > 0) yield* refund({ ...reserved, microUsd: left })
        if (left < 0) yield* chargeMore({ ...reserved, microUsd: -left })
      }, transaction)

      const refundAbandoned = Effect.gen(function* () {
        const abandoned = yield* query<Array<Omit<Expense, "use"> & { use: ModelUse | null }>>(
          (sql) => sql`
        delete from open_expenses where (app_id, run_ref) in (
          select app_id, run_ref from open_expenses where refund_at < now()
          order by app_id, run_ref limit ${PER_ROUND} for update skip locked
        ) returning app_id as "appId", run_ref as "runRef", session_id as "sessionId", activity, use,
          micro_usd::int8 as "microUsd"`
        )
        for (const { use, ...expense } of abandoned) yield* refund({ ...expense, ...(use !== null && { use }) })
      }).pipe(transaction)

      return Expenses.of({
        charge,
        reserve,
        settle,
        refundAbandoned,
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
        chargeMore,
        refund
      })
    })
  )
}
