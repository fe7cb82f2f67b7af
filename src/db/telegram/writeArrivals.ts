import type { FirstLook } from "#channels/telegram/Update.ts"
import type { Pool } from "#src/db/postgres/Database.ts"

/** The pictures of an album arrive separately, within this interval. */
const ALBUM_MS = 1000

/** An update as Telegram sent it to a bot, with what a first look at it has found. */
export interface Arrival extends FirstLook {
  readonly appId: string
  readonly channelId: string
  readonly joinWindowMs: number
  readonly raw: string
}

export interface Written {
  /** Whether any of the updates was not stored already. */
  readonly isNew: boolean
  /** Apps whose updates were not stored. */
  readonly moving: ReadonlySet<string>
}

/**
 * Stores a batch of updates, except those of apps that are moving to another cell, which are returned.
 *
 * The time of a bot's last update is recorded on a best-effort basis, because a locked bot row must not delay updates
 * of others. Bots are looked up by arrays of ids: a join would read all bots for each batch, which the planner prefers
 * while there are few. Updates are sent as one JSON array: in a text array, each of their many quotes would have to be
 * escaped and parsed again.
 */
export const writeArrivals = async (pool: Pool, batch: ReadonlyArray<Arrival>): Promise<Written> => {
  const [row] = await pool<Array<{ new: boolean; moving: ReadonlyArray<string> }>>`
  with moving as materialized (
    select scope from telegram_holds where kind = 'move' and released_at is null
      and scope = any(${batch.map((a) => a.appId)}::text[])
  ), written as (
    insert into telegram_updates (app_id, channel_id, update_id, kind, chat_id, thread_id, sender_id,
      message_id, album, due_at, raw)
    select u.app_id, u.channel_id, u.update_id, u.kind, u.chat_id, u.thread_id, u.sender_id, u.message_id,
      u.album, now() + u.join_ms * interval '1 millisecond', u.raw
    from rows from (unnest(${batch.map((a) => a.appId)}::text[], ${batch.map((a) => a.channelId)}::text[],
      ${batch.map((a) => a.updateId)}::bigint[], ${batch.map((a) => a.kind)}::text[],
      ${batch.map((a) => a.chatId)}::bigint[], ${batch.map((a) => a.threadId)}::bigint[],
      ${batch.map((a) => a.senderId)}::bigint[], ${batch.map((a) => a.messageId)}::bigint[],
      ${batch.map((a) => a.album)}::text[],
      ${batch.map((a) =>
        a.kind !== "text" ? 0 : Math.max(a.joinWindowMs, a.album === null ? 0 : ALBUM_MS)
      )}::int[]), json_array_elements(${`[${batch.map((a) => a.raw).join(",")}]`}::text::json))
      as u(app_id, channel_id, update_id, kind, chat_id, thread_id, sender_id, message_id, album, join_ms, raw)
    where u.app_id not in (select scope from moving)
    on conflict do nothing returning app_id, channel_id
  ), heard as (
    select app_id, channel_id from telegram_bots where app_id = any(array(select app_id from written))
      and channel_id = any(array(select channel_id from written))
      and coalesce(last_in_at < now() - interval '10 seconds', true) for no key update skip locked
  ), noted as (
    update telegram_bots set last_in_at = now() where app_id = any(array(select app_id from heard))
      and channel_id = any(array(select channel_id from heard))
  )
  select exists (select from written) as new, array_to_json(array(select scope from moving)) as moving`
  return { isNew: row?.new === true, moving: new Set(row?.moving) }
}
