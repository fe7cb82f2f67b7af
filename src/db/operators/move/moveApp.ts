import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { whileItMoves } from "#src/db/operators/backup/whileItMoves.ts"
import { prepareCopy } from "#src/db/operators/backup/writeBackup.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { COMMAND_LINE } from "#src/accounts/Actor.ts"
import { addEntry } from "#src/db/tenancy/auditLog.ts"
import { Database } from "#src/db/postgres/Database.ts"
import type { Pool, Sql } from "#src/db/postgres/postgres.ts"
import { copyApp, type Copied, isHeld, isThere, lockMoves, type Move } from "./copyApp.ts"
import { identify } from "./checkMove.ts"
import { MoveRefused } from "./MoveRefused.ts"
import { listMoved } from "./movedTables.ts"

/** How long others may wait for the lock that the feed of the new cell is raised under. */
const LOCK_TIMEOUT = "1s"

/** The position in the feed that no transaction has been given yet. */
const nextPosition = async (sql: Sql) => {
  const [feed] = await sql<[{ next: number }]>`
    select pg_snapshot_xmax(pg_current_snapshot())::text::bigint + shift as next
    from feed_epochs order by epoch desc limit 1`
  return feed.next
}

/**
 * Positions of the feed are numbers of transactions, shifted by what the cell has had before. Raises the shift of the
 * new cell above everything that the app was given here. The lock waits until every transaction that has appended under
 * the old shift has ended, so no reader passes one of them.
 */
export const raiseFeed = async (source: Pool, target: Pool): Promise<void> => {
  const next = await nextPosition(source)
  await target.begin(async (sql) => {
    await sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`
    await sql`lock table events in share mode`
    await sql`
      update feed_epochs set shift = greatest(shift,
        ${next} - pg_snapshot_xmin(pg_current_snapshot())::text::bigint)
      where epoch = (select max(epoch) from feed_epochs)`
  })
}

/** A transaction that stays open keeps the roll-ups back. Their figures are not worth a longer pause of the app. */
const COUNTS = 6

/** Counts what the app has spent before it moves, in both cells: each entry of the ledger is counted once. */
export const countSpending = Effect.fnUntraced(function* (rollups: Context.Service.Shape<typeof Rollups>, until: Date) {
  for (let tries = 0; tries < COUNTS; tries++) {
    if ((yield* rollups.asOf).usage > until) return
    if (tries > 0) yield* Effect.sleep("500 millis")
    yield* rollups.run
  }
})

/** The last entry of the app in the ledger. */
export const lastSpending = (appId: string) =>
  Database.use(({ query }) =>
    query<[{ at: Date }]>(
      (sql) => sql`select coalesce(max(at), 'epoch') as at from ledger where app_id = ${appId}`
    ).pipe(Effect.map(([row]) => row.at))
  )

/**
 * Moves an app that is on hold and stands still: copies it, and then removes it here. If it is in the new cell already,
 * only the latter. While this goes on, nobody can add to the app here: its row is locked. Null: it was copied before.
 */
export const moveApp = (move: Move): Promise<Copied | null> =>
  whileItMoves(move.limits, (watch, signal) =>
    move.source.begin(async (source) => {
      await source.unsafe(prepareCopy)
      await source`select 1 from apps where app_id = ${move.appId} for update`
      const copied = await copyApp({ ...move, watch, signal }, source)
      await source`
        insert into moved_keys (prefix, app_id, cell)
        select prefix, app_id, ${move.cell} from api_keys where app_id = ${move.appId}
        on conflict (prefix) do update set cell = excluded.cell, moved_at = now()`
      await source`select set_config('troupe.moved_app', ${move.appId}, true)`
      const { removed } = await listMoved(source, move.tables, move.appId, "")
      for (const { remove } of removed) await source.unsafe(remove)
      return copied
    })
  )

/** Lifts the hold of a move into this database. */
const release = async (sql: Sql, appId: string, into: string): Promise<void> => {
  const lifted = await sql`
    update telegram_holds set released_at = now()
    where scope = ${appId} and kind = 'move' and released_at is null and moves_into = ${into}
    returning 1`
  if (lifted.length === 0)
    throw new MoveRefused({
      reason: "elsewhere",
      message: "the app is moving to another database than TARGET_DATABASE_URL"
    })
  await addEntry(sql, COMMAND_LINE, { appId, action: "app.move_cancelled" })
  await sql`select graphile_worker.add_job('release', '{}'::json)`
}

/** Lets the app go on here, unless it is in the new cell already. */
export const cancelMove = (source: Pool, target: Pool, appId: string): Promise<void> =>
  target.begin(async (sql) => {
    await lockMoves(sql)
    if (await isThere(sql, appId))
      throw new MoveRefused({
        reason: "elsewhere",
        message: "the app is in the new cell already: run the command without --cancel to finish the move"
      })
    if (!(await isHeld(source, appId)))
      throw new MoveRefused({ reason: "impossible", message: "the app is not being moved" })
    const into = await identify(sql)
    await source.begin((here) => release(here, appId, into))
  })

/** The keys of an app that has moved away, and the cell that it is in now. */
export const movedKeys = (sql: Pool, appId: string) =>
  sql<Array<{ prefix: string; cell: string }>>`
    select prefix, cell from moved_keys where app_id = ${appId} order by prefix`
