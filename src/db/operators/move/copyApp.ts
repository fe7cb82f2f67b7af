import type { Readable } from "node:stream"
import { copyInto } from "#src/db/operators/backup/copyInto.ts"
import { copyMeter, type OnProgress } from "#src/db/operators/backup/copyMeter.ts"
import type { Limits, Watch } from "#src/db/operators/backup/whileItMoves.ts"
import { prepareCopy } from "#src/db/operators/backup/writeBackup.ts"
import type { Table } from "#src/db/postgres/catalogue/Table.ts"
import type { Pool, Sql } from "#src/db/postgres/postgres.ts"
import { MoveRefused } from "./MoveRefused.ts"
import { type Checked, listMoved, type MovedTable } from "./movedTables.ts"

export interface Move {
  readonly appId: string
  /** The code of the new cell. */
  readonly cell: string
  readonly tables: ReadonlyArray<Table>
  readonly source: Pool
  readonly target: Pool
  readonly onProgress: OnProgress
  readonly limits: Limits
}

/** A move whose copies are watched. */
export interface Watched extends Move {
  readonly watch: Watch
  readonly signal: AbortSignal
}

/** What was moved. */
export interface Copied {
  readonly tables: number
  readonly rows: number
  readonly bytes: number
}

/** Held in the new cell by what decides where the app is. */
const MOVE_LOCK = 7_302_119
export const lockMoves = (target: Sql) => target`select pg_advisory_xact_lock(${MOVE_LOCK}::bigint)`

export const isThere = async (sql: Sql, appId: string) =>
  (await sql`select 1 from apps where app_id = ${appId}`).length > 0

export const isHeld = async (sql: Sql, appId: string) =>
  (await sql`select 1 from telegram_holds where scope = ${appId} and kind = 'move' and released_at is null`).length > 0

interface Account {
  readonly account_id: string
  readonly kind: string
  readonly issuer: string | null
  readonly subject: string | null
  readonly name: string | null
  readonly email: string | null
  readonly created_at: string
}

const readAccount = async (sql: Sql, appId: string) => {
  const [account] = await sql<Array<Account>>`
    select a.account_id, a.kind, a.issuer, a.subject, a.name, a.email, a.created_at::text as created_at
    from apps join accounts a using (account_id) where app_id = ${appId}`
  if (account === undefined) throw new MoveRefused({ reason: "impossible", message: `there is no app ${appId}` })
  return account
}

/**
 * The account of the app in the new cell. Its person may have signed in there already: then it is their account of that
 * cell, or else a copy.
 */
const openAccount = async (sql: Sql, { account_id, kind, issuer, subject, name, email, created_at }: Account) => {
  await sql`
    insert into accounts (account_id, kind, issuer, subject, name, email, created_at) values (${account_id}, ${kind},
      ${issuer}, ${subject}, ${name}, ${email}, ${created_at}::text::timestamptz) on conflict do nothing`
  const [there] = await sql<Array<{ account_id: string }>>`
    select account_id from accounts where account_id = ${account_id} or (issuer = ${issuer} and subject = ${subject})
    order by account_id = ${account_id} desc limit 1`
  return there?.account_id ?? account_id
}

const readEpoch = async (sql: Sql) => {
  const [epoch] = await sql<[{ name: string }]>`select name from feed_epochs order by epoch desc limit 1`
  return epoch.name
}

/** Copies one table after the other, in a constant amount of memory. */
const copyTables = async (
  { onProgress, watch, signal }: Watched,
  source: Sql,
  target: Sql,
  tables: ReadonlyArray<MovedTable>
): Promise<Copied> => {
  let all = { tables: 0, rows: 0, bytes: 0 }
  for (const { name, copyOut, copyIn } of tables) {
    const before = all
    const meter = copyMeter(watch, (rows, bytes) =>
      onProgress({ table: name, done: before.tables, tables: tables.length, rows, bytes: before.bytes + bytes })
    )
    const rows: Readable = await source.unsafe(copyOut).readable()
    await copyInto(target, copyIn, meter.measure(rows), signal)
    const copied = meter.result()
    all = { tables: before.tables + 1, rows: before.rows + copied.rows, bytes: before.bytes + copied.bytes }
  }
  return all
}

/** Fails if a row was written here in the meantime, or arrived there as another one. */
const checkTables = async (source: Sql, target: Sql, tables: ReadonlyArray<MovedTable>) => {
  for (const { name, checkHere, checkThere } of tables) {
    const [here] = await source.unsafe<Array<Checked>>(checkHere)
    const [there] = await target.unsafe<Array<Checked>>(checkThere)
    if (here?.rows !== there?.rows || here?.sum !== there?.sum)
      throw new MoveRefused({
        reason: "changed",
        message: `rows of ${name} have changed while they were copied (${here?.rows}, and ${there?.rows} copied)`
      })
  }
}

/** What makes the app go on in the new cell as soon as this is committed. */
const beginThere = async (source: Sql, target: Sql, { appId, cell }: Move) => {
  const epoch = await readEpoch(source)
  await target`
    insert into feed_trims as t (app_id, position, epochs) values (${appId}, 0, array[${epoch}])
    on conflict (app_id) do update set epochs = array_append(t.epochs, ${epoch})`
  // Their webhooks lead to the old cell.
  await target`update telegram_bots set probe_due_at = now(), poller = null where app_id = ${appId}`
  await target`delete from moved_keys where app_id = ${appId}`
  await target`
    insert into telegram_holds (scope, kind, reason, released_at) values (${appId}, 'move', ${cell}, now())
    on conflict (scope, kind) do update set released_at = now(), reason = excluded.reason`
  await target`
    select graphile_worker.add_job('release', '{}'::json), graphile_worker.add_job('probe', '{}'::json)`
}

/**
 * Copies the app into the new cell, in one transaction there. Its commit is the moment at which the app is in the new
 * cell: here it has been on hold since before, and there it did not exist. The caller has locked the app here. Null: it
 * was there already.
 */
export const copyApp = (move: Watched, source: Sql): Promise<Copied | null> =>
  move.target.begin(async (target) => {
    await target.unsafe(prepareCopy)
    await lockMoves(target)
    if (!(await isHeld(source, move.appId)))
      throw new MoveRefused({ reason: "impossible", message: "the move was cancelled" })
    if (await isThere(target, move.appId)) return null
    const account = await openAccount(target, await readAccount(source, move.appId))
    const { copied } = await listMoved(source, move.tables, move.appId, account)
    const result = await copyTables(move, source, target, copied)
    await checkTables(source, target, copied)
    await beginThere(source, target, move)
    return result
  })
