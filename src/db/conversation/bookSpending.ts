import type { StageRecord } from "#pipeline/domain/Turn.ts"
import { lockAllowances, lockSessions } from "#src/db/billing/moneyStatements.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { type Spending, writeSpent } from "./spendingStatements.ts"
import { costOf, stageRow } from "./stageRows.ts"
import type { Lease } from "./Turns.ts"

const toSpending = (lease: Lease, stages: ReadonlyArray<StageRecord>): Spending => ({
  app: lease.appId,
  session: lease.sessionId,
  turn: lease.turnIndex,
  owner: lease.owner,
  fence: lease.fence,
  cost: costOf(stages),
  stageCount: stages.length,
  stages: JSON.stringify(stages.map((record, seq) => stageRow(record, 1, seq)))
})

/** Books an attempt's cost so far, after taking its locks: see writeSpent, whose rows it returns. */
export const bookSpending = async (
  sql: Sql,
  lease: Lease,
  stages: ReadonlyArray<StageRecord>,
  free: boolean,
  priceVersion: string
) => {
  const [, , booked] = await Promise.all([
    lockAllowances(sql, [lease.appId], [lease.sessionId]),
    lockSessions(sql, [lease.appId], [lease.sessionId]),
    writeSpent(sql, toSpending(lease, stages), free, priceVersion)
  ])
  return booked
}
