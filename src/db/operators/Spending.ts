import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export const SPENDING_GROUPS = ["app", "day", "kind", "model"] as const
export type SpendingGroup = (typeof SPENDING_GROUPS)[number]
/** Maximum number of groups in one answer: the most expensive, or the first days. */
export const MAX_SPENDING_GROUPS = 1000

/** Null: of all apps. Days are in UTC, `YYYY-MM-DD`; the last one is included. */
export interface SpendingQuery {
  readonly appId: string | null
  readonly from: string
  readonly to: string
  readonly groupBy: SpendingGroup
}

export interface SpendingRow {
  readonly key: string
  readonly micro_usd: number
  readonly turns: number
  readonly failed: number
  /** Counted by model only. */
  readonly input_tokens: number
  readonly output_tokens: number
}

/** What was spent, from sums of the ledger that the job `rollup` keeps. */
export class Spending extends Context.Service<
  Spending,
  { readonly read: (of: SpendingQuery) => Effect.Effect<ReadonlyArray<SpendingRow>, DatabaseError> }
>()("src/db/operators/Spending") {
  static readonly layer = Layer.effect(
    Spending,
    Effect.gen(function* () {
      const { query } = yield* Database
      return Spending.of({
        read: ({ appId, from, to, groupBy }) =>
          query<Array<SpendingRow>>((sql) => {
            // Grouped as it is stored: a day as text for every row would take longer than the sums.
            const key = { app: sql`app_id`, day: sql`day`, kind: sql`name`, model: sql`name` }[groupBy]
            return sql`
          select ${key}::text as key, coalesce(sum(micro_usd), 0)::int8 as micro_usd,
            coalesce(sum(turns), 0)::int8 as turns, coalesce(sum(failed), 0)::int8 as failed,
            coalesce(sum(input_tokens), 0)::int8 as input_tokens, coalesce(sum(output_tokens), 0)::int8 as output_tokens
          from usage_days
          where day >= ${from}::text::date and day <= ${to}::text::date
            and dimension = ${groupBy === "model" ? sql`'model'` : sql`'kind'`}
            and ${appId === null ? sql`true` : sql`app_id = ${appId}`}
          group by ${key} order by ${groupBy === "day" ? sql`1` : sql`2 desc, 1`} limit ${MAX_SPENDING_GROUPS}::int`
          })
      })
    })
  )
}
