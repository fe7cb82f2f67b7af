import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { OperationalEvent } from "#channels/OperationalLog.ts"
import { EVENT_TYPES } from "#channels/telegram/render.ts"
import type { UnknownPolicy } from "#channels/telegram/TelegramBots.ts"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { BOT_TOKEN } from "#src/db/postgres/sealedColumns.ts"
import { Secrets } from "#src/db/postgres/Secrets.ts"
import type { SecretUnreadable } from "#src/db/postgres/secretsCipher.ts"
import { takeUp } from "./goOn.ts"
import { isHeld } from "#src/db/delivery/isHeld.ts"
import { tokenHint } from "./tokenHint.ts"

export const BOT_STATUSES = [
  "awaiting_creation",
  "pending",
  "active",
  "degraded",
  "suspended",
  "revoked",
  "detached"
] as const
export type BotStatus = (typeof BOT_STATUSES)[number]

/** What a probe saw of a bot's webhook. */
export interface BotHealth {
  readonly probed_at?: string
  readonly pending_update_count?: number
  readonly last_error_message?: string
  readonly last_error_at?: string
  readonly good_probes?: number
  /** When it was last asked who it is. */
  readonly identified_at?: string
}

export interface StoredBot {
  readonly app_id: string
  readonly channel_id: string
  readonly mode: "byo" | "managed"
  readonly character_slug: string
  readonly user_id: number | null
  readonly username: string | null
  readonly info: Readonly<Record<string, unknown>> | null
  readonly token_hint: string | null
  readonly token_version: number
  readonly status: BotStatus
  readonly reason: string | null
  readonly unknown_policy: UnknownPolicy
  readonly join_window_ms: number
  readonly drafts: boolean
  readonly webhook_url: string | null
  readonly webhook_set_at: Date | null
  /** Since when there is a secret of which nobody knows whether Telegram has it. */
  readonly secret_pending_since: Date | null
  readonly health: BotHealth
  readonly last_in_at: Date | null
  readonly owner_id: number | null
  readonly owner_ref: string | null
  readonly rotating_since: Date | null
  /** When its profile is to be put again; null: it stands. */
  readonly profile_due_at: Date | null
  /** The picture of its profile that was put last. */
  readonly photo_sha256: string | null
  readonly photo_put_at: Date | null
  /** The operator holds it back. */
  readonly held: boolean
  readonly created_at: Date
}

export interface BotIdentity {
  readonly userId: number
  readonly username: string
  readonly info: object
}

export interface NewBot extends BotIdentity {
  readonly channelId: string
  readonly characterSlug: string
  readonly token: Redacted.Redacted<string>
  /** Where its updates are to go; behind it comes its id. */
  readonly hooksAt: string
  readonly joinWindowMs: number | undefined
  readonly drafts: boolean | undefined
  readonly unknownPolicy: UnknownPolicy | undefined
}

export interface BotSettings {
  readonly characterSlug?: string | undefined
  readonly unknownPolicy?: UnknownPolicy | undefined
  readonly joinWindowMs?: number | undefined
  readonly drafts?: boolean | undefined
}

export interface StatusChange {
  readonly status: BotStatus
  readonly reason: string | null
  readonly from: ReadonlyArray<BotStatus>
  /** Only while the bot has this token: it may have been given another one meanwhile. */
  readonly tokenVersion?: number
  /** What the app is told; null: nothing. */
  readonly news: Omit<OperationalEvent, "appId"> | null
}

/** What the app's own word does to a bot: held, and to be armed again. */
export const suspension = (channelId: string): StatusChange => ({
  status: "suspended",
  reason: null,
  from: ["pending", "active", "degraded", "suspended"],
  news: { type: "bot.suspended", payload: { bot_id: channelId } }
})
export const RESUMPTION: StatusChange = { status: "pending", reason: null, from: ["suspended"], news: null }

/** The bot is bound already, here or in another app. */
export class BotTaken extends Schema.TaggedError<BotTaken>()("BotTaken", {}) {}

/** Bots that one process takes to probe before it takes more, so that others take some, too. */
const PROBES_A_ROUND = 40

/** A status a bot is given, and whether its lanes are walked in it. */
const WALKED: ReadonlySet<BotStatus> = new Set(["active", "degraded"])

/**
 * Telegram bots as rows: each is one in channels and one in telegram_bots, under one id. Undefined where there is no
 * such bot in the app.
 */
export class BotRows extends Context.Service<
  BotRows,
  {
    readonly create: (appId: string, bot: NewBot) => Effect.Effect<StoredBot, BotTaken | DatabaseError>
    readonly get: (appId: string, channelId: string) => Effect.Effect<StoredBot | undefined, DatabaseError>
    readonly list: (
      appId: string,
      filter: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredBot>, DatabaseError>
    readonly configure: (
      appId: string,
      channelId: string,
      settings: BotSettings
    ) => Effect.Effect<StoredBot | undefined, DatabaseError>
    readonly token: (
      bot: StoredBot
    ) => Effect.Effect<Redacted.Redacted<string> | undefined, DatabaseError | SecretUnreadable>
    /**
     * A new token of the same bot, good for everything that is sent from now on. One that was revoked has yet to be
     * armed under it. `byOwner`: the app does not know and is told.
     */
    readonly replaceToken: (
      appId: string,
      channelId: string,
      token: Redacted.Redacted<string>,
      identity: BotIdentity,
      byOwner?: boolean
    ) => Effect.Effect<void, DatabaseError>
    /**
     * Lets a new secret in. The one before stays good until the webhook is noted as set under the new one, and for ten
     * minutes after.
     */
    readonly expectSecret: (appId: string, channelId: string, hash: Uint8Array) => Effect.Effect<void, DatabaseError>
    /**
     * Gives the bot a status, unless it has one that is not in `from`. Its lanes are walked, or not, accordingly. Where
     * it is another than before, or for another reason, the app is told.
     */
    readonly become: (appId: string, channelId: string, change: StatusChange) => Effect.Effect<void, DatabaseError>
    /**
     * The webhook is set there, under this secret: if it is the one that was let in last, that is settled. Null: there
     * is none.
     */
    readonly noteWebhook: (
      appId: string,
      channelId: string,
      url: string | null,
      secretHash: Uint8Array | null
    ) => Effect.Effect<void, DatabaseError>
    /** What its owner may have changed in @BotFather. */
    readonly noteIdentity: (
      appId: string,
      channelId: string,
      identity: BotIdentity
    ) => Effect.Effect<void, DatabaseError>
    /** Its profile stands, or is to be put again in so many seconds. */
    readonly noteProfile: (
      appId: string,
      channelId: string,
      dueInSeconds: number | null
    ) => Effect.Effect<void, DatabaseError>
    readonly notePhoto: (appId: string, channelId: string, sha256: string) => Effect.Effect<void, DatabaseError>
    readonly noteProbe: (
      appId: string,
      channelId: string,
      health: BotHealth,
      nextInSeconds: number
    ) => Effect.Effect<void, DatabaseError>
    /** Bots whose probe is due, and which are nobody else's for the next minute. */
    readonly dueProbes: Effect.Effect<ReadonlyArray<StoredBot>, DatabaseError>
    /**
     * Ends the bot for good: no token, no lanes, no chats. The row stays, and the app is told why; null: there is
     * nobody left to be told. False: it had ended.
     */
    readonly detach: (
      appId: string,
      channelId: string,
      reason: "deleted" | "link_expired" | null
    ) => Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/telegram/BotRows") {
  static readonly layer = Layer.effect(
    BotRows,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const alignment = yield* Alignment
      const secrets = yield* Secrets
      const services = yield* Effect.context<Database | LogSignals>()

      const columns = (sql: Sql) => sql`
      app_id, channel_id, mode, character_slug, user_id, username, info, token_hint, token_version, status, reason,
        unknown_policy, join_window_ms, drafts,
      webhook_url, webhook_set_at, secret_pending_since, health, last_in_at, owner_id, owner_ref, rotating_since,
        profile_due_at, photo_sha256, photo_put_at, created_at, ${isHeld(sql, sql`app_id`)} as held`
      const get = (appId: string, channelId: string) =>
        query<Array<StoredBot>>(
          (sql) => sql`
      select ${columns(sql)} from telegram_bots
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached'`
        ).pipe(Effect.map(([row]) => row))
      const list = (appId: string, { after, limit }: { readonly after: string | null; readonly limit: number }) =>
        query<Array<StoredBot>>(
          (sql) => sql`
      select ${columns(sql)} from telegram_bots
        where app_id = ${appId} and channel_id >
          ${after ?? ""} and status <> 'detached' order by channel_id limit ${limit}::int`
        )

      const sealed = (appId: string, channelId: string, token: Redacted.Redacted<string>) =>
        secrets.seal(BOT_TOKEN, [appId, channelId], token)

      const create = Effect.fnUntraced(function* (appId: string, bot: NewBot) {
        const { channelId } = bot
        const made = yield* query(
          (sql) => sql`
        insert into telegram_bots (app_id, channel_id, mode, character_slug, user_id, username, info, token,
          token_hint, webhook_url, status, unknown_policy, join_window_ms, drafts)
        values (${appId}, ${channelId}, 'byo',
          ${bot.characterSlug}, ${bot.userId}, ${bot.username}, ${JSON.stringify(bot.info)}::text::jsonb,
          ${sealed(appId, channelId, bot.token)},
            ${tokenHint(bot.token)}, ${`${bot.hooksAt}/${channelId}`}, 'pending',
              ${bot.unknownPolicy ?? "skip"}, ${bot.joinWindowMs ?? 1200}::int, ${bot.drafts ?? false}::boolean)
        on conflict (user_id) where status <> 'detached' do nothing returning 1`
        )
        if (made.length === 0) return yield* new BotTaken()
        yield* query(
          (sql) => sql`
        insert into channels (app_id, channel_id, covers, kind, paced, endpoint, target, events, status)
        values (${appId}, ${channelId}, 'chats', 'telegram_byo', true,
          ${`telegram ${channelId}`}, '{}', ${[...EVENT_TYPES]}::text[], 'paused')`
        )
        yield* query(
          (sql) => sql`insert into telegram_paces (app_id, channel_id, chat_id) values (${appId}, ${channelId}, 0)`
        )
        return (yield* get(appId, channelId)) ?? (yield* Effect.die(new Error("a bot just written is gone")))
      }, transaction)

      const configure = Effect.fnUntraced(function* (
        appId: string,
        channelId: string,
        { characterSlug, unknownPolicy, joinWindowMs, drafts }: BotSettings
      ) {
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
        return yield* get(appId, channelId)
      }, transaction)

      const token = Effect.fnUntraced(function* (bot: StoredBot) {
        const [row] = yield* query<Array<{ token: Uint8Array | null }>>(
          (sql) => sql`select token from telegram_bots where app_id = ${bot.app_id} and channel_id = ${bot.channel_id}`
        )
        return row === undefined || row.token === null
          ? undefined
          : yield* secrets.open(BOT_TOKEN, [bot.app_id, bot.channel_id], row.token)
      })

      const replaceToken = Effect.fnUntraced(
        function* (
          appId: string,
          channelId: string,
          next: Redacted.Redacted<string>,
          { userId, username, info }: BotIdentity,
          byOwner = false
        ) {
          yield* query(
            (sql) =>
              sql`update channels set version = version + 1 where app_id = ${appId} and channel_id = ${channelId}`
          )
          yield* query(
            (sql) => sql`
        update telegram_bots set token =
          ${sealed(appId, channelId, next)}, token_hint = ${tokenHint(next)}, token_version = token_version + 1,
          status = case when status = 'revoked' then 'pending' else status end, reason = case when status = 'revoked'
            then null else reason end,
          probe_due_at = least(probe_due_at, now() + interval '30 seconds'), rotating_since = null,
            user_id = ${userId}, username = ${username}, info = ${JSON.stringify(info)}::text::jsonb
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached'`
          )
          if (byOwner) yield* appendOperational({ appId, type: "bot.token_replaced", payload: { bot_id: channelId } })
        },
        transaction,
        Effect.provideContext(services)
      )

      /** Has the lanes walked, from where they stand; one that waits or is parked does not wait any longer. */
      const walk = Effect.fnUntraced(function* (appId: string, channelId: string) {
        const begun = yield* query(
          (sql) => sql`
        update channels set status = 'active', version = version + 1, generation = generation + 1,
          failing_since = null, consecutive_failures = 0, not_before = null, aligned_to = ''
        where app_id = ${appId} and channel_id =
          ${channelId} and status not in ('active', 'failing', 'deleted') returning 1`
        )
        if (begun.length > 0) yield* alignment.begin({ appId, sessionId: null }, channelId)
      })
      const become = Effect.fnUntraced(
        function* (appId: string, channelId: string, { status, reason, from, tokenVersion, news }: StatusChange) {
          yield* query(
            (sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`
          )
          const [changed] = yield* query<Array<{ was: BotStatus; news: boolean }>>(
            (sql) => sql`
        update telegram_bots b set status = ${status}, reason = ${reason}
        from (select status as was, reason as why from telegram_bots
          where app_id = ${appId} and channel_id = ${channelId} for update) o
        where b.app_id = ${appId} and b.channel_id = ${channelId} and b.status = any(${[...from]}::text[])
          and b.token_version = coalesce(${tokenVersion ?? null}::int, b.token_version)
        returning o.was, o.was <> b.status or o.why is distinct from b.reason as news`
          )
          if (changed === undefined) return
          if (WALKED.has(status)) {
            if (!WALKED.has(changed.was)) yield* takeUp([{ app_id: appId, channel_id: channelId }])
            yield* walk(appId, channelId)
          } else {
            yield* query(
              (sql) => sql`
          update channels set status = ${status === "revoked" ? "disabled" : "paused"}, version = version + 1
          where app_id = ${appId} and channel_id = ${channelId} and status in ('active', 'failing')`
            )
          }
          if (changed.news && news !== null) yield* appendOperational({ ...news, appId })
        },
        transaction,
        Effect.provideContext(services)
      )

      const detach = Effect.fnUntraced(
        function* (appId: string, channelId: string, reason: "deleted" | "link_expired" | null) {
          yield* query(
            (sql) => sql`select 1 from channels where app_id = ${appId} and channel_id = ${channelId} for update`
          )
          const gone = yield* query(
            (sql) => sql`
        update telegram_bots set status = 'detached',
          reason = ${reason}, token = null, secret_hash = null, previous_secret_hash = null, webhook_url = null
        where app_id = ${appId} and channel_id = ${channelId} and status <> 'detached' returning 1`
          )
          if (gone.length === 0) return false
          yield* query(
            (sql) =>
              sql`update telegram_chats set status = 'closed' where app_id = ${appId} and channel_id = ${channelId}`
          )
          yield* query((sql) => sql`delete from telegram_paces where app_id = ${appId} and channel_id = ${channelId}`)
          yield* query((sql) => sql`delete from telegram_links where app_id = ${appId} and channel_id = ${channelId}`)
          // A bot that is made by its link after this fits no request.
          yield* query(
            (sql) => sql`delete from telegram_provisionings where app_id = ${appId} and channel_id = ${channelId}`
          )
          yield* query(
            (sql) =>
              sql`update channels set status = 'deleted', version = version + 1, aligned_to = ''
                where app_id = ${appId} and channel_id = ${channelId}`
          )
          yield* alignment.begin({ appId, sessionId: null }, channelId)
          if (reason !== null)
            yield* appendOperational({ appId, type: "bot.detached", payload: { bot_id: channelId, reason } })
          return true
        },
        transaction,
        Effect.provideContext(services)
      )

      return BotRows.of({
        create,
        get,
        list,
        configure,
        token,
        replaceToken,
        expectSecret: (appId, channelId, hash) =>
          query(
            (sql) => sql`
        update telegram_bots set previous_secret_hash = case when secret_pending_since is not null
          then previous_secret_hash else secret_hash end, previous_secret_until = 'infinity',
          secret_hash = ${Buffer.from(hash)}, secret_pending_since = now()
        where app_id = ${appId} and channel_id = ${channelId}`
          ).pipe(Effect.asVoid),
        become,
        noteWebhook: (appId, channelId, url, secretHash) =>
          query(
            (sql) => sql`
        update telegram_bots set webhook_url =
          ${url}, webhook_set_at = now(), previous_secret_until = least(previous_secret_until,
            now() + interval '10 minutes'),
          secret_pending_since = case when
            ${secretHash === null ? null : Buffer.from(secretHash)}::bytea <> secret_hash then now() end
        where app_id = ${appId} and channel_id = ${channelId}`
          ).pipe(Effect.asVoid),
        noteIdentity: (appId, channelId, { userId, username, info }) =>
          query(
            (sql) => sql`
        update telegram_bots set username = ${username}, info = ${JSON.stringify(info)}::text::jsonb
        where app_id = ${appId} and channel_id = ${channelId} and user_id = ${userId}`
          ).pipe(Effect.asVoid),
        noteProfile: (appId, channelId, dueInSeconds) =>
          query(
            (sql) => sql`
        update telegram_bots set profile_due_at = now() +
          ${dueInSeconds}::float8 * interval '1 second' where app_id = ${appId} and channel_id = ${channelId}`
          ).pipe(Effect.asVoid),
        notePhoto: (appId, channelId, sha256) =>
          query(
            (sql) => sql`
        update telegram_bots set photo_sha256 =
          ${sha256}, photo_put_at = now() where app_id = ${appId} and channel_id = ${channelId}`
          ).pipe(Effect.asVoid),
        // Nothing younger of a bot's is handled while anything of it is aside: what was left so is found here, if by
        // nobody else.
        noteProbe: Effect.fnUntraced(
          function* (appId: string, channelId: string, health: BotHealth, nextInSeconds: number) {
            const [noted] = yield* query<Array<{ left: boolean }>>(
              (sql) => sql`
          update telegram_bots b set health =
            ${JSON.stringify(health)}::text::jsonb,
              probe_due_at = now() + ${nextInSeconds}::float8 * interval '1 second'
          where app_id = ${appId} and channel_id = ${channelId}
          returning b.status = any(${[...WALKED]}::text[]) and not (${isHeld(sql, sql`b.app_id`)}) and exists (
            select from telegram_updates a where a.app_id = b.app_id and a.channel_id = b.channel_id
              and a.done_at is null and a.due_at = 'infinity' offset 0) as left`
            )
            if (noted?.left === true) yield* takeUp([{ app_id: appId, channel_id: channelId }])
          },
          transaction,
          Effect.provideContext(services)
        ),
        dueProbes: query<Array<StoredBot>>(
          (sql) => sql`
        update telegram_bots b set probe_due_at = now() + interval '1 minute' from (
          select app_id as app, channel_id as channel from telegram_bots
          where probe_due_at <= now() and (status in ('active', 'degraded', 'pending') or (status = 'revoked'
            and mode = 'managed')) and token is not null order by probe_due_at
              limit ${PROBES_A_ROUND} for update skip locked
        ) d where b.app_id = d.app and b.channel_id = d.channel returning ${columns(sql)}`
        ),
        detach
      })
    })
  )
}
