import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { appendOnce } from "./appendOnce.ts"
import type { ChatKey } from "./ChatOpening.ts"

export interface Edit {
  readonly updateId: number
  readonly messageId: number
  readonly text: string
  /** What the message said in these updates, which were handled together. Null: they do not show it. */
  readonly textIn: (updates: ReadonlyArray<unknown>) => string | null
}

interface Edited {
  readonly session_id: string
  readonly cursor: number
  readonly updates: ReadonlyArray<unknown>
  /** The text of its last edit on the log. */
  readonly last_text: string | null
}

/** How far back to search for the edited message, in updates of the bot. */
const LOOKED_BACK = 5000

/**
 * Records that an accepted message of this chat was edited. An edit that leaves the text as it is, such as one of
 * Telegram's own when it has loaded the preview of a link, is not recorded.
 */
export const recordEdit = Effect.fnUntraced(function* (
  { appId, channelId, chatId, threadId }: ChatKey,
  { updateId, messageId, text, textIn }: Edit
) {
  const { query } = yield* Database
  const [turn] = yield* query<Array<Edited>>(
    (sql) => sql`
        with edited as materialized (
          select batch from telegram_updates
          where app_id = ${appId} and channel_id =
            ${channelId} and update_id between ${updateId - LOOKED_BACK} and ${updateId}
            and chat_id = ${chatId} and thread_id = ${threadId} and kind = 'text' and message_id = ${messageId} limit 1
        )
        select t.session_id, t.cursor,
          (select coalesce(json_agg(u.raw order by u.update_id), '[]') from telegram_updates u
            where u.app_id = ${appId} and u.channel_id = ${channelId}
              and u.update_id between e.batch and ${updateId} and u.batch = e.batch) as updates,
          (select v.payload ->> 'text' from events v where v.app_id = t.app_id and v.session_id = t.session_id
            and v.cursor > t.cursor and v.type = 'message.edited'
            and split_part(v.source_id, ':', 4) = ${String(messageId)} order by v.cursor desc limit 1) as last_text
        from edited e
          join telegram_chats c on c.app_id =
            ${appId} and c.channel_id = ${channelId} and c.chat_id = ${chatId} and c.thread_id = ${threadId}
        join turns t on t.app_id = c.app_id and t.session_id = c.session_id
          and t.client_message_id = ${`tg:${channelId}:`} || e.batch`
  )
  if (turn === undefined || text === (turn.last_text ?? textIn(turn.updates))) return
  yield* appendOnce(appId, turn.session_id, {
    key: `tg:${channelId}:${updateId}:${messageId}`,
    type: "message.edited",
    role: "user",
    payload: { text, message_cursor: turn.cursor }
  })
})
