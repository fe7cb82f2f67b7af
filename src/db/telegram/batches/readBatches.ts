import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Database } from "#src/db/postgres/Database.ts"
import { CLAIM_CODE } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import type { BotStatus } from "../bots/StoredBot.ts"
import type { StoredBatch, StoredItem } from "./StoredBatch.ts"

interface ItemRow extends Omit<StoredItem, "bot" | "link"> {
  readonly bot_status: BotStatus | null
  readonly bot_reason: string | null
  readonly username: string | null
  readonly claim_code: Uint8Array | null
  readonly expires_at: Date | null
}

export const getBatch = (appId: string, batchId: string) =>
  Database.use(({ query }) =>
    query<Array<StoredBatch>>(
      (sql) => sql`
      select b.batch_id, b.action, b.dry_run, b.manager, b.created_at, count(i.item)::int as total,
        count(*) filter (where i.status = 'done')::int as done,
          count(*) filter (where i.status = 'failed')::int as failed
      from telegram_batches b left join telegram_batch_items i using (app_id, batch_id)
      where b.app_id = ${appId} and b.batch_id = ${batchId} group by b.app_id, b.batch_id`
    ).pipe(Effect.map(([row]) => row))
  )

const toItem = Effect.fnUntraced(function* (
  appId: string,
  { bot_status: status, bot_reason: reason, username, claim_code: sealed, expires_at: expiresAt, ...row }: ItemRow
) {
  const secrets = yield* Secrets
  const code = sealed === null ? null : yield* Effect.orDie(secrets.open(CLAIM_CODE, [appId, row.channel_id], sealed))
  return {
    ...row,
    bot: status === null ? null : { status, reason, username },
    link: code === null || expiresAt === null ? null : { claimCode: Redacted.value(code), expiresAt }
  }
})

// An expired request counts as expired before the sweep marks it.
export const listItems = Effect.fnUntraced(function* (
  appId: string,
  batchId: string,
  { after, limit }: { readonly after: string | null; readonly limit: number }
) {
  const { query } = yield* Database
  const found = yield* query<Array<ItemRow>>(
    (sql) => sql`
        select i.item, i.channel_id, i.status, i.error, i.due_at, coalesce(b.character_slug,
          i.character_slug) as character_slug, i.wanted, b.username,
          case when p.expires_at <= now() then 'detached' else b.status end as bot_status, case
            when p.expires_at <= now() then 'link_expired' else b.reason end as bot_reason,
          case when p.expires_at > now() then p.claim_code end as claim_code, p.expires_at
        from telegram_batch_items i
          left join telegram_bots b on b.app_id = coalesce(i.target_app, i.app_id) and b.channel_id = i.channel_id
          left join telegram_provisionings p on p.app_id = i.app_id and p.channel_id = i.channel_id
            and p.matched_at is null and i.wanted is not null
        where i.app_id = ${appId} and i.batch_id =
          ${batchId} and i.item > ${after ?? ""} order by i.item limit ${limit}::int`
  )
  return yield* Effect.forEach(found, (row) => toItem(appId, row))
})
