import * as Effect from "effect/Effect"
import type { UnknownPolicy } from "#channels/telegram/TelegramBots.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { getBot } from "./readBots.ts"

export interface BotSettings {
  readonly characterSlug?: string | undefined
  readonly unknownPolicy?: UnknownPolicy | undefined
  readonly joinWindowMs?: number | undefined
  readonly drafts?: boolean | undefined
}

export const configureBot = Effect.fnUntraced(function* (
  appId: string,
  channelId: string,
  { characterSlug, unknownPolicy, joinWindowMs, drafts }: BotSettings
) {
  const { query } = yield* Database
  yield* query(
    (sql) => sql`update channels set version = version + 1 where app_id = ${appId} and channel_id = ${channelId}`
  )
  yield* query(
    (sql) => sql`
        update telegram_bots set character_slug =
          coalesce(${characterSlug ?? null}, character_slug),
            unknown_policy = coalesce(${unknownPolicy ?? null}, unknown_policy),
          join_window_ms = coalesce(${joinWindowMs ?? null}::int, join_window_ms),
            drafts = coalesce(${drafts ?? null}::boolean, drafts)
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached'`
  )
  return yield* getBot(appId, channelId)
}, inTransaction)
