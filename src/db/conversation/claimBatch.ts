import type { Pool } from "#src/db/postgres/Database.ts"
import { type ClaimRow, claimTurns } from "./claimTurns.ts"
import type { SessionRef } from "./Turns.ts"

export interface WantedTurn extends SessionRef {
  readonly owner: string
}

/** The next turns of sessions that are to be claimed together, in the order in which they were asked for. */
export const claimBatch = async (
  pool: Pool,
  batch: ReadonlyArray<WantedTurn>
): Promise<ReadonlyArray<ClaimRow | undefined>> => {
  // A batch has two owners when the process has registered anew in between.
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
  // Two wake-ups of one session in a batch: the first gets the turn.
  return batch.map((wanted) => {
    const name = `${wanted.owner} ${wanted.sessionId}`
    const row = rows.get(name)
    rows.delete(name)
    return row
  })
}
