import * as Effect from "effect/Effect"
import type { OutcomeName } from "#channels/Lanes.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { OPERATOR_BATCHES } from "#src/db/telegram/batches/batchKinds.ts"
import type { StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"

/** A delivery of a batch that repeats deliveries, and what became of it after that. */
export interface RetriedDelivery extends Pick<StoredItem, "item" | "channel_id" | "status" | "error"> {
  readonly app_id: string
  /** Null: its attempts are deleted. */
  readonly event_id: string | null
  /** Of the latest attempt since it was requested. Null: none yet. */
  readonly outcome: OutcomeName | null
  readonly status_code: number | null
  readonly error_code: string | null
}

/** How many deliveries of a batch have which outcome since they were requested. */
export interface RetriedCounts {
  readonly arrived: number
  readonly failed_again: number
  /** Requested, and not attempted yet. */
  readonly waiting: number
}

/** Of the attempts since the item was done: the latest at a part that has not arrived, or else the latest. */
const SINCE = (sql: Sql) => sql`
  select s.outcome, s.status_code, s.error_code from (
    select distinct on (a.part) a.* from delivery_attempts a
    where a.app_id = i.target_app and a.session_id = i.delivery ->> 'session_id' and a.channel_id = i.channel_id
      and a.cursor = (i.delivery ->> 'cursor')::bigint and a.fence > (i.delivery ->> 'fence')::int
    order by a.part, a.fence desc
  ) s order by s.outcome = 'sent', s.fence desc limit 1`

export const listRetried = (batchId: string, limit: number) =>
  Database.use(({ query }) =>
    query<Array<RetriedDelivery>>(
      (sql) => sql`
        select i.item, coalesce(i.target_app, i.app_id) as app_id, i.channel_id, i.status, i.error, (
            select a.event_id from delivery_attempts a
            where a.app_id = i.target_app and a.session_id = i.delivery ->> 'session_id'
              and a.channel_id = i.channel_id and a.cursor = (i.delivery ->> 'cursor')::bigint limit 1
          ) as event_id, d.outcome, d.status_code, d.error_code
        from telegram_batch_items i left join lateral (${SINCE(sql)}) d on true
        where i.app_id = ${OPERATOR_BATCHES} and i.batch_id = ${batchId} order by i.item limit ${limit}::int`
    )
  )

export const countRetried = (batchId: string) =>
  Database.use(({ query }) =>
    query<[RetriedCounts]>(
      (sql) => sql`
        select count(*) filter (where d.outcome = 'sent')::int as arrived,
          count(*) filter (where d.outcome <> 'sent')::int as failed_again,
          count(*) filter (where i.status = 'done' and d.outcome is null)::int as waiting
        from telegram_batch_items i left join lateral (${SINCE(sql)}) d on true
        where i.app_id = ${OPERATOR_BATCHES} and i.batch_id = ${batchId}`
    ).pipe(Effect.map(([row]) => row))
  )
