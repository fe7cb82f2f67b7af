import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { Joined } from "#src/db/postgres/Joined.ts"
import { BATCH_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { BATCH_KINDS, type BatchAction, type BatchKind, PACES } from "./batchKinds.ts"
import type { WantedBot } from "./StoredBatch.ts"

/** A worker that is silent for this long loses its item. */
const LEASE = "2 minutes"

export interface BatchItem {
  /** The app of the batch: `OPERATOR_BATCHES` if it is one of the operator. */
  readonly appId: string
  /** The app of the bot. */
  readonly targetApp: string
  readonly batchId: string
  readonly item: string
  readonly action: BatchAction
  readonly dryRun: boolean
  readonly channelId: string
  readonly characterSlug: string | null
  readonly hooksAt: string
  readonly requestedAt: Date
  readonly linkMinutes: number | null
  readonly wanted: WantedBot | null
  /** The delivery that it repeats. */
  readonly delivery: { readonly session_id: string; readonly cursor: number } | null
  readonly attempts: number
}

/**
 * Leases the next due item of a kind. A number: there is one, and a slot for it in this many milliseconds. Undefined:
 * there is none.
 */
export const takeItem = Effect.fnUntraced(function* (kind: BatchKind) {
  const { query } = yield* Database
  const { everyMs, burst } = PACES[kind]
  const [row] = yield* query<Array<Joined<BatchItem> & { readonly waitMs: number }>>(
    (sql) => sql`
          with found as (
            select app_id, batch_id, item from telegram_batch_items
              where kind = ${kind} and status = 'pending' and due_at <= now() order by item, due_at limit 1
                for update skip locked
          ), wait as (
            select greatest(0, extract(epoch
              from p.taken_until - clock_timestamp()) * 1000 - ${everyMs * (burst - 1)}::int)::int as ms
            from found, (select taken_until from telegram_batch_paces where kind = ${kind} for update) p
          ), placed as (
            update telegram_batch_paces set taken_until = greatest(taken_until,
              clock_timestamp()) + ${everyMs}::int * interval '1 millisecond'
            where kind = ${kind} and exists (select from wait where ms = 0)
          ), taken as (
            update telegram_batch_items i set due_at = now() + ${LEASE}::interval, attempts = i.attempts + 1
            from found f, telegram_batches b, wait w
            where w.ms = 0 and i.app_id = f.app_id and i.batch_id = f.batch_id and i.item = f.item
              and b.app_id = i.app_id and b.batch_id = i.batch_id
            returning i.app_id as "appId", coalesce(i.target_app, i.app_id) as "targetApp", i.delivery,
              i.batch_id as "batchId", i.item, i.channel_id as "channelId",
              i.character_slug as "characterSlug", i.wanted, i.attempts, b.action, b.dry_run as "dryRun",
              b.hooks_at as "hooksAt", b.link_minutes as "linkMinutes", b.created_at as "requestedAt"
          )
          select t.*, w.ms as "waitMs" from wait w left join taken t on true`
  )
  return row === undefined ? undefined : row.appId === null ? row.waitMs : row
})

export const itemToken = Effect.fnUntraced(function* ({ appId, batchId, item }: BatchItem) {
  const [{ query }, secrets] = [yield* Database, yield* Secrets]
  const [row] = yield* query<Array<{ token: Uint8Array | null }>>(
    (sql) =>
      sql`select token from telegram_batch_items
                where app_id = ${appId} and batch_id = ${batchId} and item = ${item}`
  )
  return row === undefined || row.token === null
    ? undefined
    : yield* secrets.open(BATCH_TOKEN, [appId, batchId, item], row.token)
})

/**
 * Adds a job for the second in which the next item is due, shared by all of that second. Items further away than a
 * minute are found by the job that runs every minute.
 */
export const wakeAtNext = Database.use(({ query }) =>
  query(
    (sql) => sql`
      select graphile_worker.add_job('batches', '{}'::json, run_at := n.at, job_key := 'batches:' || n.at,
        job_key_mode := 'preserve_run_at')
      from (
        select date_trunc('second', min(due_at)) + interval '1 second' as at from telegram_batch_items
        where kind = any(${[...BATCH_KINDS]}::text[]) and status = 'pending'
          and due_at between now() and now() + interval '1 minute'
      ) n where n.at is not null`
  )
).pipe(Effect.asVoid)
