import * as Effect from "effect/Effect"
import { isSuspendedByOperator } from "#src/db/delivery/isSuspendedByOperator.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import type { StoredBot } from "./StoredBot.ts"

/** The columns of a `StoredBot`. */
export const botColumns = (sql: Sql) => sql`
      app_id, channel_id, mode, character_slug, user_id, username, info, token_hint, token_version, status, reason,
        unknown_policy, join_window_ms, drafts,
      webhook_url, webhook_set_at, secret_pending_since, health, last_in_at, owner_id, owner_ref, rotating_since,
        profile_due_at, photo_sha256, photo_put_at, command_menus, created_at,
        ${isSuspendedByOperator(sql, sql`app_id`)} as held`

export const getBot = (appId: string, channelId: string) =>
  Database.use(({ query }) =>
    query<Array<StoredBot>>(
      (sql) => sql`
      select ${botColumns(sql)} from telegram_bots
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached'`
    ).pipe(Effect.map(([row]) => row))
  )

export const listBots = (appId: string, { after, limit }: { readonly after: string | null; readonly limit: number }) =>
  Database.use(({ query }) =>
    query<Array<StoredBot>>(
      (sql) => sql`
      select ${botColumns(sql)} from telegram_bots
        where app_id = ${appId} and channel_id >
          ${after ?? ""} and status <> 'detached' order by channel_id limit ${limit}::int`
    )
  )
