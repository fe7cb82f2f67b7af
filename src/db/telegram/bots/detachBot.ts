import * as Effect from "effect/Effect"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"

/** Ends the bot permanently. */
export const detachBot = Effect.fnUntraced(function* (
  appId: string,
  channelId: string,
  reason: "deleted" | "link_expired" | null
) {
  const [{ query }, alignment] = [yield* Database, yield* Alignment]
  yield* query((sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`)
  const gone = yield* query(
    (sql) => sql`
        update telegram_bots set status = 'detached',
          reason = ${reason}, token = null, secret_hash = null, previous_secret_hash = null, webhook_url = null
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached' returning 1`
  )
  if (gone.length === 0) return false
  yield* query(
    (sql) => sql`update telegram_chats set status = 'closed' where app_id = ${appId} and channel_id = ${channelId}`
  )
  yield* query((sql) => sql`delete from telegram_paces where app_id = ${appId} and channel_id = ${channelId}`)
  yield* query((sql) => sql`delete from telegram_links where app_id = ${appId} and channel_id = ${channelId}`)
  // A bot that is created through its link after this matches no request.
  yield* query((sql) => sql`delete from telegram_provisionings where app_id = ${appId} and channel_id = ${channelId}`)
  yield* query(
    (sql) =>
      sql`update channels set status = 'deleted', version = version + 1, aligned_to = ''
                where app_id = ${appId} and channel_id = ${channelId}`
  )
  yield* alignment.begin({ appId, sessionId: null }, channelId)
  if (reason !== null) yield* appendOperational({ appId, type: "bot.detached", payload: { bot_id: channelId, reason } })
  return true
}, inTransaction)
