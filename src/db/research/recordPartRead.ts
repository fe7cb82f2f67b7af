import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { VerifiedFinding } from "#pipeline/research/verifyFindings.ts"
import type { Expenses } from "#src/db/billing/Expenses.ts"
import type { Database } from "#src/db/postgres/Database.ts"
import type { Evidence } from "./Evidence.ts"
import { makeResearchReader } from "./researchReader.ts"
import type { OpenSource, Run } from "./Research.ts"
import { makeSettleResearch } from "./settleResearch.ts"
import { makeWriteFindings } from "./writeFindings.ts"

/** Maximum number of findings in one run. */
const MAX_FINDINGS = 50

/** Stores that a part of a source was read, with its findings: see `partRead` of Research. */
export const makeRecordPartRead = (
  database: Context.Service.Shape<typeof Database>,
  expenses: Context.Service.Shape<typeof Expenses>,
  evidence: Context.Service.Shape<typeof Evidence>
) => {
  const { query, transaction } = database
  const { isOurs } = makeResearchReader(database)
  const { spentLate } = makeSettleResearch(database, expenses)
  const writeFindings = makeWriteFindings(database, evidence)
  return Effect.fnUntraced(function* (
    owner: string,
    run: Run,
    source: OpenSource,
    upheld: ReadonlyArray<VerifiedFinding>,
    costMicroUsd: number
  ) {
    if (!(yield* isOurs(owner, run))) return yield* Effect.as(spentLate(run, costMicroUsd), false)
    const { app_id: appId, slug, research_id: researchId } = run
    const [{ there } = { there: 0 }] = yield* query<Array<{ there: number }>>(
      (sql) => sql`
    select count(*)::int as there from findings
      where app_id = ${appId} and slug = ${slug} and research_id = ${researchId}`
    )
    yield* writeFindings(run, source, upheld.slice(0, Math.max(0, MAX_FINDINGS - there)))
    yield* query(
      (sql) => sql`
    update research_sources set parts_read = parts_read + 1, status = case when parts_read + 1 >= parts then 'read'
      else status end
    where app_id = ${appId} and slug = ${slug} and research_id = ${researchId} and place = ${source.place}`
    )
    yield* query(
      (sql) =>
        sql`update research set spent_micro_usd = spent_micro_usd +
          ${costMicroUsd} where app_id = ${appId} and slug = ${slug} and research_id = ${researchId}`
    )
    return true
  }, transaction)
}
