import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { BOT_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import { tokenHint } from "../tokenHint.ts"
import type { BotIdentity, StoredBot } from "./StoredBot.ts"

/** Bound to the row of this bot. */
export const sealToken = (appId: string, channelId: string, token: Redacted.Redacted<string>) =>
  Secrets.useSync((secrets) => secrets.seal(BOT_TOKEN, [appId, channelId], token))

export const openToken = Effect.fnUntraced(function* (bot: StoredBot) {
  const [{ query }, secrets] = [yield* Database, yield* Secrets]
  const [row] = yield* query<Array<{ token: Uint8Array | null }>>(
    (sql) => sql`select token from telegram_bots where app_id = ${bot.app_id} and channel_id = ${bot.channel_id}`
  )
  return row === undefined || row.token === null
    ? undefined
    : yield* secrets.open(BOT_TOKEN, [bot.app_id, bot.channel_id], row.token)
})

/** Everything sent from now on uses the new token. */
export const replaceToken = Effect.fnUntraced(function* (
  appId: string,
  channelId: string,
  next: Redacted.Redacted<string>,
  { userId, username, info }: BotIdentity,
  byOwner = false
) {
  const { query } = yield* Database
  const token = yield* sealToken(appId, channelId, next)
  yield* query(
    (sql) => sql`update channels set version = version + 1 where app_id = ${appId} and channel_id = ${channelId}`
  )
  yield* query(
    (sql) => sql`
        update telegram_bots set token =
          ${token}, token_hint = ${tokenHint(next)}, token_version = token_version + 1,
          status = case when status = 'revoked' then 'pending' else status end, reason = case when status = 'revoked'
            then null else reason end,
          probe_due_at = now() + interval '30 seconds', rotating_since = null,
            user_id = ${userId}, username = ${username}, info = ${JSON.stringify(info)}::text::jsonb
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached'`
  )
  if (byOwner) yield* appendOperational({ appId, type: "bot.token_replaced", payload: { bot_id: channelId } })
}, inTransaction)

/**
 * Accepts a new webhook secret. The previous one stays valid until the webhook is recorded under the new one, and for
 * ten minutes after that.
 */
export const expectSecret = (appId: string, channelId: string, hash: Uint8Array) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
        update telegram_bots set previous_secret_hash = case when secret_pending_since is not null
          then previous_secret_hash else secret_hash end, previous_secret_until = 'infinity',
          secret_hash = ${Buffer.from(hash)}, secret_pending_since = now()
        where app_id = ${appId} and channel_id = ${channelId}`
    )
  ).pipe(Effect.asVoid)
