import { reportedIn } from "#pipeline/safety/reported.ts"
import { lockAllowances, lockSessions } from "#src/db/billing/moneyStatements.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import type { Pool } from "#src/db/postgres/Database.ts"
import { isShadow } from "#src/db/tenancy/shadow.ts"
import { countReported, type Reported } from "./safetyCounts.ts"
import { toSettleColumns } from "./settleColumns.ts"
import { findSettled, type SettleRow, writeSettled } from "./settleStatements.ts"
import { addExtractionJobs } from "./turnJobs.ts"
import { requestPictures, type TurnPicture } from "./turnPictures.ts"
import type { Settlement } from "./Turns.ts"
import { settleEndedSessions } from "./settleEndedSessions.ts"

/** The picture of a reply, if it has one. */
const pictureOf = (settlement: Settlement | undefined): ReadonlyArray<TurnPicture> => {
  if (settlement === undefined || settlement.outcome._tag !== "Replied" || settlement.outcome.picture === undefined)
    return []
  const {
    lease: { appId, sessionId, turnIndex },
    outcome: { picture: wish }
  } = settlement
  return [{ app: appId, session: sessionId, turn: turnIndex, wish }]
}

/** What a turn adds to the reports of its app. */
const reportedOf = (settlement: Settlement | undefined): ReadonlyArray<Reported> =>
  settlement === undefined || isShadow(settlement.lease.appId)
    ? []
    : reportedIn(settlement.outcome, settlement.stages).map((kind) => ({ appId: settlement.lease.appId, kind }))

/**
 * Settles finished turns in one transaction, with all consequences. Returns those that are settled, now or by an
 * earlier try, and whether there is something to deliver.
 */
export const settleTurns = (
  pool: Pool,
  batch: ReadonlyArray<Settlement>,
  priceVersion: string
): Promise<{ readonly rows: ReadonlyArray<SettleRow>; readonly pushed: boolean }> => {
  const columns = toSettleColumns(batch)
  return pool.begin(async (sql) => {
    const [, , rows, moved] = await Promise.all([
      lockAllowances(sql, columns.app, columns.session),
      lockSessions(sql, columns.app, columns.session),
      writeSettled(sql, columns, priceVersion),
      advanceLaneHeads(sql, columns.app, columns.session)
    ])
    if (rows.length > 0)
      await sql`select ${addExtractionJobs(
        sql,
        rows.map((row) => columns.app[row.n - 1] ?? ""),
        rows.map((row) => row.session_id)
      )}`
    const pictures = rows.flatMap(({ n }) => pictureOf(batch[n - 1]))
    if (pictures.length > 0) await requestPictures(sql, pictures)
    const exits = batch.filter(({ outcome }) => outcome._tag === "Exited").map(({ lease }) => lease)
    if (exits.length > 0)
      await settleEndedSessions(
        sql,
        exits.map((lease) => lease.appId),
        exits.map((lease) => lease.sessionId)
      )
    const reported = rows.flatMap(({ n, as_meant }) => (as_meant ? reportedOf(batch[n - 1]) : []))
    if (reported.length > 0) await countReported(sql, reported)
    return {
      rows: rows.length === batch.length ? rows : [...(await findSettled(sql, columns)), ...rows],
      pushed: moved.length > 0
    }
  })
}
