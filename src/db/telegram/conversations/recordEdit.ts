import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { appendOnce } from "./appendOnce.ts"
import type { ChatKey } from "./ChatOpening.ts"

export interface Edit {
  readonly updateId: number
  readonly messageId: number
  readonly text: string
}

/** How far back to search for the edited message, in updates of the bot. */
const LOOKED_BACK = 5000

/** Records that an accepted message of this chat was edited. */
export const recordEdit = Effect.fnUntraced(function* (
  { appId, channelId, chatId, threadId }: ChatKey,
  { updateId, messageId, text }: Edit
) {
  const { query } = yield* Database
  const [turn] = yield* query<Array<{ session_id: string; cursor: number }>>(
    (sql) => sql`
        with edited as materialized (
          select batch from telegram_updates
          where app_id = ${appId} and channel_id =
            ${channelId} and update_id between ${updateId - LOOKED_BACK} and ${updateId}
            and chat_id = ${chatId} and thread_id = ${threadId} and kind = 'text' and message_id = ${messageId} limit 1
        )
        select t.session_id, t.cursor from edited e
          join telegram_chats c on c.app_id =
            ${appId} and c.channel_id = ${channelId} and c.chat_id = ${chatId} and c.thread_id = ${threadId}
        join turns t on t.app_id = c.app_id and t.session_id = c.session_id
          and t.client_message_id = ${`tg:${channelId}:`} || e.batch`
  )
  if (turn === undefined) return
  yield* appendOnce(appId, turn.session_id, {
    key: `tg:${channelId}:${updateId}:${messageId}`,
    type: "message.edited",
    role: "user",
    payload: { text, message_cursor: turn.cursor }
  })
})
