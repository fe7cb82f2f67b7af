import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { ChatKey } from "./ChatOpening.ts"

/** The chat's session. Null: none. */
export const sessionOf = ({ appId, channelId, chatId, threadId }: ChatKey) =>
  Database.use(({ query }) =>
    query<Array<{ session_id: string | null }>>(
      (sql) => sql`
        select session_id from telegram_chats
          where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId}`
    ).pipe(Effect.map(([row]) => row?.session_id ?? null))
  )
