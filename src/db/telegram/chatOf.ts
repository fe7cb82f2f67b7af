import { isServiceLog } from "#channels/telegram/serviceLog.ts"
import type { ChatRef } from "#channels/telegram/TelegramChats.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** By which column a chat is found. */
export const keyOf = (sql: Sql, { sessionId }: Pick<ChatRef, "sessionId">) =>
  isServiceLog(sessionId) ? sql`service_log_id` : sql`session_id`

/**
 * The row of the chat of a session or service log, found by this alone. If the planner may choose between the keys of
 * the table, it scans all chats of the bot while it expects few, as in a new table. The fence (`offset 0`) takes away
 * that choice. If the row is joined to, it has to be materialized, or the choice is back.
 */
export const chatOf = (sql: Sql, ref: ChatRef) => sql`
  select c.* from (select * from telegram_chats
    where ${keyOf(sql, ref)} = ${ref.sessionId} offset 0) c where c.app_id = ${ref.appId}
      and c.channel_id = ${ref.channelId}`
