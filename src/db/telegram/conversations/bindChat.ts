import * as Effect from "effect/Effect"
import { Database, MAX_TOGETHER } from "#src/db/postgres/Database.ts"
import { chatOf } from "../chatOf.ts"
import type { ChatKey } from "./ChatOpening.ts"

/** Assigns this session to the chat and to no other chat, with a lane from `position` on. */
export const bindChat = Effect.fnUntraced(function* (
  { appId, channelId, chatId, threadId }: ChatKey,
  old: string | null,
  sessionId: string,
  position: number,
  head: number
) {
  const { query } = yield* Database
  yield* Effect.all(
    [
      query(
        (sql) => sql`delete from lanes where app_id = ${appId} and session_id = ${old} and channel_id = ${channelId}`
      ),
      query(
        (sql) => sql`
          with elsewhere as materialized (${chatOf(sql, { appId, channelId, sessionId })})
          update telegram_chats t set session_id = null from elsewhere e
          where t.app_id = e.app_id and t.channel_id = e.channel_id and t.chat_id = e.chat_id
            and t.thread_id = e.thread_id and (e.chat_id, e.thread_id) <> (${chatId}::bigint, ${threadId}::bigint)`
      ),
      query(
        (sql) => sql`
          update telegram_chats set session_id =
            ${sessionId}, status = 'active'
              where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId}`
      ),
      query(
        (sql) => sql`
          insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
          select app_id, ${sessionId}, channel_id, generation,
            ${position}::bigint, ${head}::bigint, ${position < head ? "ready" : "idle"} from channels
          where app_id = ${appId} and channel_id = ${channelId} and status <> 'deleted' on conflict do nothing`
      )
    ],
    MAX_TOGETHER
  )
})
