import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { BATCH_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { type BatchAction, type BatchKind, PACES } from "./batchKinds.ts"
import type { WantedBot } from "./StoredBatch.ts"

/** A worker that is silent for this long loses its item. */
const LEASE = "2 minutes"

export interface BatchItem {
  readonly app_id: string
  readonly batch_id: string
  readonly item: string
  readonly action: BatchAction
  readonly dry_run: boolean
  readonly channel_id: string
  readonly character_slug: string | null
  readonly hooks_at: string
  readonly requested_at: Date
  readonly link_minutes: number | null
  readonly wanted: WantedBot | null
  readonly attempts: number
}

/**
 * Leases the next due item of a kind. A number: there is one, and a slot for it in this many milliseconds. Undefined:
 * there is none.
 */
export const takeItem = Effect.fnUntraced(function* (kind: BatchKind) {
  const { query } = yield* Database
  const { everyMs, burst } = PACES[kind]
  const [row] = yield* query<Array<BatchItem & { readonly app_id: string | null; readonly wait_ms: number }>>(
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
            returning i.app_id, i.batch_id, i.item, i.channel_id, i.character_slug, i.wanted, i.attempts, b.action,
              b.dry_run, b.hooks_at, b.link_minutes, b.created_at as requested_at
          )
          select t.*, w.ms as wait_ms from wait w left join taken t on true`
  )
  return row === undefined ? undefined : row.app_id === null ? row.wait_ms : row
})

export const itemToken = Effect.fnUntraced(function* ({ app_id, batch_id, item }: BatchItem) {
  const [{ query }, secrets] = [yield* Database, yield* Secrets]
  const [row] = yield* query<Array<{ token: Uint8Array | null }>>(
    (sql) =>
      sql`select token from telegram_batch_items
                where app_id = ${app_id} and batch_id = ${batch_id} and item = ${item}`
  )
  return row === undefined || row.token === null
    ? undefined
    : yield* secrets.open(BATCH_TOKEN, [app_id, batch_id, item], row.token)
})
