import type { ChatRef } from "#channels/telegram/TelegramChats.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The row of the chat of a session, found by the session alone. If the planner may choose between the keys of the
 * table, it scans all chats of the bot while it expects few, as in a new table. The fence (`offset 0`) takes away that
 * choice. If the row is joined to, it has to be materialized, or the choice is back.
 */
export const chatOf = (sql: Sql, { appId, channelId, sessionId }: ChatRef) => sql`
  select c.* from (select * from telegram_chats
    where session_id = ${sessionId} offset 0) c where c.app_id = ${appId} and c.channel_id = ${channelId}`
