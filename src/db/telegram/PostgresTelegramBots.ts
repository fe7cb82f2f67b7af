import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { BotsUnavailable, type SendingBot, TelegramBots, type UnknownPolicy } from "#channels/telegram/TelegramBots.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { BOT_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"

const CAPACITY = 5000
/** How long a decrypted token stays cached without being used. */
const KEPT = Duration.minutes(10)

interface Row {
  readonly version: number
  readonly token: Uint8Array | null
  readonly token_version: number
  readonly unknown_policy: UnknownPolicy
  readonly drafts: boolean
}

/**
 * The bots in PostgreSQL, for sending. The cache is keyed by the version of the channel, so it is never older than the
 * caller's version.
 */
export const layer = Layer.effect(
  TelegramBots,
  Effect.gen(function* () {
    const { query, transaction } = yield* Database
    const secrets = yield* Secrets
    const services = yield* Effect.context<Database | LogSignals>()
    const unavailable = Effect.mapError((cause: unknown) => new BotsUnavailable({ cause }))

    const read = Effect.fnUntraced(function* (appId: string, channelId: string) {
      const [row] = yield* query<Array<Row>>(
        (sql) => sql`
      select c.version, b.token, b.token_version, b.unknown_policy, b.drafts from telegram_bots b
        join channels c using (app_id, channel_id)
      where b.app_id = ${appId} and b.channel_id = ${channelId} and c.status <> 'deleted'`
      )
      if (row === undefined || row.token === null) return undefined
      const token = yield* secrets.open(BOT_TOKEN, [appId, channelId], row.token)
      return {
        version: row.version,
        bot: {
          token,
          tokenVersion: row.token_version,
          unknownPolicy: row.unknown_policy,
          drafts: row.drafts
        } satisfies SendingBot
      }
    })

    const cache = yield* Cache.makeWith(
      (key: string) => {
        const [appId = "", channelId = ""] = key.split("\n")
        return read(appId, channelId)
      },
      {
        capacity: CAPACITY,
        timeToLive: (exit, key) =>
          Exit.isSuccess(exit) && exit.value !== undefined && key.endsWith(`\n${exit.value.version}`)
            ? KEPT
            : Duration.zero
      }
    )

    return TelegramBots.of({
      get: (appId, channelId, version) =>
        Cache.get(cache, `${appId}\n${channelId}\n${version}`).pipe(
          Effect.map((found) => found?.bot),
          unavailable
        ),

      revoke: Effect.fnUntraced(
        function* (appId, channelId, tokenVersion) {
          yield* query(
            (sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`
          )
          const revoked = yield* query<Array<{ news: boolean }>>(
            (sql) => sql`
        with dead as (
          select app_id, channel_id, status from telegram_bots
          where app_id = ${appId} and channel_id =
            ${channelId} and token_version = ${tokenVersion} and status <> 'detached' for update
        ), stopped as (
          update channels c set status = 'disabled', version = c.version + 1 from dead d where c.app_id = d.app_id
            and c.channel_id = d.channel_id and d.status <> 'revoked'
        ), marked as (
          update telegram_bots b set status = 'revoked', reason = 'token_rejected', probe_due_at = now() from dead d
            where b.app_id = d.app_id and b.channel_id = d.channel_id
        )
        select status <> 'revoked' as news from dead`
          )
          if (revoked[0]?.news === true)
            yield* appendOperational({
              appId,
              type: "bot.revoked",
              payload: { bot_id: channelId, reason: "token_rejected" }
            })
          return revoked.length > 0
        },
        transaction,
        Effect.provideContext(services),
        unavailable
      ),

      degrade: Effect.fnUntraced(
        function* (appId, channelId, reason) {
          const changed = yield* query(
            (sql) => sql`
        update telegram_bots set status = 'degraded',
          reason = ${reason} where app_id = ${appId} and channel_id = ${channelId} and status = 'active' returning 1`
          )
          if (changed.length > 0)
            yield* appendOperational({ appId, type: "bot.degraded", payload: { bot_id: channelId, reason } })
        },
        transaction,
        Effect.provideContext(services),
        unavailable
      ),

      endDrafts: Effect.fnUntraced(
        function* (appId, channelId) {
          yield* query(
            (sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`
          )
          yield* query(
            (sql) => sql`
        with turned_off as (
          update telegram_bots set drafts = false
            where app_id = ${appId} and channel_id = ${channelId} and drafts returning app_id, channel_id
        )
        update channels c set version = c.version + 1 from turned_off t where c.app_id = t.app_id
          and c.channel_id = t.channel_id`
          )
        },
        transaction,
        unavailable
      )
    })
  })
)
