import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { BotRef } from "./CreatedBot.ts"

/** The bot that already has this Telegram id, in any app. */
export const boundBot = (userId: number) =>
  Database.use(({ query }) =>
    query<Array<BotRef>>(
      (sql) => sql`
        select app_id as "appId", channel_id as "channelId" from telegram_bots
          where user_id = ${userId} and status <> 'detached'`
    ).pipe(Effect.map(([row]) => row))
  )
