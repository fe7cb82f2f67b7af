import type { ChatRef } from "#channels/telegram/TelegramChats.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The row of the chat in which a session is held, found by the session alone. Left to choose between the keys of the
 * table, the planner goes through all chats of the bot where it takes bots to have few, as it does of a young table;
 * behind the fence (`offset 0`) it has no choice. Where the row is joined to, it must be materialised, or the choice is
 * back.
 */
export const chatOf = (sql: Sql, { appId, channelId, sessionId }: ChatRef) => sql`
  select c.* from (select * from telegram_chats
    where session_id = ${sessionId} offset 0) c where c.app_id = ${appId} and c.channel_id = ${channelId}`
