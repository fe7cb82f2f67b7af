import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import type { BotIdentity, StoredBot } from "./StoredBot.ts"

/**
 * Records the webhook's URL and secret. If it is the latest secret, the change of secrets is complete. Null: there is
 * no webhook.
 */
export const recordWebhook = (appId: string, channelId: string, url: string | null, secretHash: Uint8Array | null) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set webhook_url =
          ${url}, webhook_set_at = now(), previous_secret_until = least(previous_secret_until,
            now() + interval '10 minutes'),
          secret_pending_since = case when
            ${secretHash === null ? null : Buffer.from(secretHash)}::bytea <> secret_hash then now() end
        where app_id = ${appId} and channel_id = ${channelId}`
    )
  ).pipe(Effect.asVoid)

/** What its owner may have changed in @BotFather. */
export const recordIdentity = (appId: string, channelId: string, { userId, username, info }: BotIdentity) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set username = ${username}, info = ${JSON.stringify(info)}::text::jsonb
        where app_id = ${appId} and channel_id = ${channelId} and user_id = ${userId}`
    )
  ).pipe(Effect.asVoid)

/** The process that registers a bot sets its profile in this time, or else the probe does. */
export const INTRODUCED_WITHIN = "2 minutes"

/** Records that its profile is complete, or in how many seconds to set it again. */
export const recordProfile = (appId: string, channelId: string, dueInSeconds: number | null) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set profile_due_at = now() +
          ${dueInSeconds}::float8 * interval '1 second' where app_id = ${appId} and channel_id = ${channelId}`
    )
  ).pipe(Effect.asVoid)

export const recordMenus = (appId: string, channelId: string, menus: StoredBot["command_menus"]) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set command_menus = ${JSON.stringify(menus)}::text::jsonb
        where app_id = ${appId} and channel_id = ${channelId}`
    )
  ).pipe(Effect.asVoid)

export const recordPhoto = (appId: string, channelId: string, sha256: string) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set photo_sha256 =
          ${sha256}, photo_put_at = now() where app_id = ${appId} and channel_id = ${channelId}`
    )
  ).pipe(Effect.asVoid)
