import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Expenses } from "#src/db/billing/Expenses.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import type { Run } from "./Research.ts"

/** Books what a run has cost beyond its reservation, and settles it. In the caller's transaction. */
export const makeSettleResearch = (
  { query }: Context.Service.Shape<typeof Database>,
  expenses: Context.Service.Shape<typeof Expenses>
) => {
  const expenseOf = (appId: string, runRef: string) => ({
    appId,
    sessionId: null,
    runRef,
    activity: "research" as const
  })

  /**
   * Books a call whose run this worker no longer has. If the run has ended, it is already settled, so the cost is
   * added.
   */
  const spentLate = Effect.fnUntraced(function* ({ app_id, slug, research_id }: Run, microUsd: number) {
    const [run] = yield* query<Array<{ run_ref: string; ended: boolean }>>(
      (sql) => sql`
    update research set spent_micro_usd = spent_micro_usd +
      ${microUsd} where app_id = ${app_id}
        and slug = ${slug} and research_id = ${research_id} returning run_ref, finished_at is not null as ended`
    )
    if (run?.ended === true && microUsd > 0) yield* expenses.chargeMore({ ...expenseOf(app_id, run.run_ref), microUsd })
  })

  /** Refunds what was not spent, books what was spent beyond the reservation, and deletes the texts. */
  const settle = Effect.fnUntraced(function* ({ app_id, slug, research_id }: Run) {
    const [run] = yield* query<Array<{ run_ref: string; left: number }>>(
      (sql) => sql`
    select run_ref, held_micro_usd - spent_micro_usd as left from research
      where app_id = ${app_id} and slug = ${slug} and research_id = ${research_id}`
    )
    if (run !== undefined && run.left > 0)
      yield* expenses.refund({ ...expenseOf(app_id, run.run_ref), microUsd: run.left })
    if (run !== undefined && run.left < 0)
      yield* expenses.chargeMore({ ...expenseOf(app_id, run.run_ref), microUsd: -run.left })
    yield* query(
      (sql) =>
        sql`update research_sources set text = null
          where app_id = ${app_id} and slug = ${slug} and research_id = ${research_id}`
    )
  })

  return { spentLate, settle }
}
