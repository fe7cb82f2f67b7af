import type { Pool } from "#src/db/postgres/Database.ts"
import { type ClaimRow, claimTurns } from "./claimTurns.ts"
import type { SessionRef } from "./Turns.ts"

export interface WantedTurn extends SessionRef {
  readonly owner: string
}

/** Claims the next turns of several sessions together. Results are in the order of the requests. */
export const claimTurnBatch = async (
  pool: Pool,
  batch: ReadonlyArray<WantedTurn>
): Promise<ReadonlyArray<ClaimRow | undefined>> => {
  // A batch has two owners if the process has re-registered in between.
  const rows = new Map<string, ClaimRow>()
  for (const [owner, wanted] of Map.groupBy(batch, ({ owner }) => owner)) {
    for (const row of await claimTurns(
      pool,
      owner,
      wanted.map((w) => w.appId),
      wanted.map((w) => w.sessionId)
    ))
      rows.set(`${owner} ${row.session_id}`, row)
  }
  // If a session occurs twice in a batch, the first one gets the turn.
  return batch.map((wanted) => {
    const name = `${wanted.owner} ${wanted.sessionId}`
    const row = rows.get(name)
    rows.delete(name)
    return row
  })
}
