import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Expenses } from "#src/db/billing/Expenses.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import type { Run } from "./Research.ts"

/** Books what a run has cost beyond its reservation, and closes its books. In the transaction of the caller. */
export const settlingResearch = (
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
   * What a call has cost whose run is not this worker's any more: of one that has ended the books are closed, and
   * it comes on top.
   */
  const spentLate = Effect.fnUntraced(function* ({ app_id, slug, research_id }: Run, microUsd: number) {
    const [run] = yield* query<Array<{ run_ref: string; ended: boolean }>>(
      (sql) => sql`
    update research set spent_micro_usd = spent_micro_usd +
      ${microUsd} where app_id = ${app_id}
        and slug = ${slug} and research_id = ${research_id} returning run_ref, finished_at is not null as ended`
    )
    if (run?.ended === true && microUsd > 0) yield* expenses.add({ ...expenseOf(app_id, run.run_ref), microUsd })
  })

  /** What is not spent goes back, what was spent beyond what was held is booked, and the texts go. */
  const settle = Effect.fnUntraced(function* ({ app_id, slug, research_id }: Run) {
    const [run] = yield* query<Array<{ run_ref: string; left: number }>>(
      (sql) => sql`
    select run_ref, held_micro_usd - spent_micro_usd as left from research
      where app_id = ${app_id} and slug = ${slug} and research_id = ${research_id}`
    )
    if (run !== undefined && run.left > 0)
      yield* expenses.giveBack({ ...expenseOf(app_id, run.run_ref), microUsd: run.left })
    if (run !== undefined && run.left < 0)
      yield* expenses.add({ ...expenseOf(app_id, run.run_ref), microUsd: -run.left })
    yield* query(
      (sql) =>
        sql`update research_sources set text = null
          where app_id = ${app_id} and slug = ${slug} and research_id = ${research_id}`
    )
  })

  return { spentLate, settle }
}
