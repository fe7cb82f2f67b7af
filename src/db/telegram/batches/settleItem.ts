import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { BatchItem } from "./takeItem.ts"

const MAX_ATTEMPTS = 5

/** Of an item that repeats a delivery, the fence of the latest attempt is kept, so that later ones are known. */
export const completeItem = ({ appId, batchId, item }: BatchItem) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_batch_items i set status = 'done', error = null, token = null,
          delivery = i.delivery || jsonb_build_object('fence', coalesce((
            select max(a.fence) from delivery_attempts a
            where a.app_id = i.target_app and a.session_id = i.delivery ->> 'session_id'
              and a.channel_id = i.channel_id and a.cursor = (i.delivery ->> 'cursor')::bigint
          ), 0))
        where i.app_id = ${appId} and i.batch_id = ${batchId} and i.item = ${item}`
    )
  ).pipe(Effect.asVoid)

/** Makes a change and completes its item, in one transaction. Neither happens if another worker has the item now. */
export const completeItemWith = Effect.fnUntraced(function* <A, E, R>(item: BatchItem, change: Effect.Effect<A, E, R>) {
  const { query, transaction } = yield* Database
  yield* transaction(
    Effect.gen(function* () {
      const { appId, batchId, item: number, attempts } = item
      const held = yield* query(
        (sql) => sql`
        select 1 from telegram_batch_items where app_id = ${appId} and batch_id = ${batchId} and item = ${number}
          and status = 'pending' and attempts = ${attempts}::int for update`
      )
      if (held.length === 0) return
      yield* change
      yield* completeItem(item)
    })
  )
})

/**
 * Postpones it by this many seconds without counting an attempt. Like `failItem`, it has no effect if another worker
 * has the item now.
 */
export const delayItem = ({ appId, batchId, item, attempts }: BatchItem, seconds: number) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_batch_items set error = 'rate_limited',
          due_at = now() + ${seconds}::float8 * interval '1 second', attempts = attempts - 1
        where app_id = ${appId} and batch_id =
          ${batchId} and item = ${item} and status = 'pending' and attempts = ${attempts}::int`
    )
  ).pipe(Effect.asVoid)

/** `passing`: it is retried later, a limited number of times. */
export const failItem = ({ appId, batchId, item, attempts }: BatchItem, error: string, passing: boolean) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_batch_items set error = ${error}, due_at = now() + interval '1 second' * 5 * 2 ^ attempts,
          status = case when ${passing} and attempts < ${MAX_ATTEMPTS}::int then 'pending' else 'failed' end,
          token = case when ${passing} and attempts < ${MAX_ATTEMPTS}::int then token end
        where app_id = ${appId} and batch_id =
          ${batchId} and item = ${item} and status = 'pending' and attempts = ${attempts}::int`
    )
  ).pipe(Effect.asVoid)
