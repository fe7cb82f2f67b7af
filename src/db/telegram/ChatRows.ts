import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

export interface StoredChat {
  readonly chat_id: number
  readonly thread_id: number
  readonly kind: string
  readonly session_id: string | null
  readonly external_user_ref: string
  readonly status: "active" | "blocked" | "unreachable" | "closed"
  readonly reason: string | null
  readonly last_in_at: Date | null
  readonly created_at: Date
}

/** The list position of a chat. */
export interface ChatAddress {
  readonly chatId: number
  readonly threadId: number
}

/** Statistics of a bot's messages in a day, and its queues. */
export interface BotStatistics {
  readonly chats: number
  readonly blocked_chats: number
  readonly last_out_at: Date | null
  readonly unknown_24h: number
  readonly rejected_24h: number
  /** From a call to Telegram's answer, in milliseconds. Null: nothing was sent. */
  readonly latency_p50_ms: number | null
  readonly latency_p95_ms: number | null
  readonly blocked_until: Date | null
}

/** The chats of a bot, for display. */
export class ChatRows extends Context.Service<
  ChatRows,
  {
    readonly list: (
      appId: string,
      channelId: string,
      filter: { readonly after: ChatAddress | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredChat>, DatabaseError>
    readonly statistics: (appId: string, channelId: string) => Effect.Effect<BotStatistics, DatabaseError>
  }
>()("src/db/telegram/ChatRows") {
  static readonly layer = Layer.effect(
    ChatRows,
    Effect.gen(function* () {
      const { query } = yield* Database
      return ChatRows.of({
        list: (appId, channelId, { after, limit }) =>
          query<Array<StoredChat>>(
            (sql) => sql`
        select chat_id, thread_id, kind, session_id, external_user_ref, status, reason, last_in_at, created_at
          from telegram_chats
        where app_id = ${appId} and channel_id = ${channelId} ${
          after === null
            ? sql``
            : sql`and (chat_id,
          thread_id) > (${after.chatId}, ${after.threadId})`
        }
        order by chat_id, thread_id limit ${limit}::int`
          ),

        statistics: (appId, channelId) =>
          query<Array<BotStatistics>>(
            (sql) => sql`
        select (select count(*)::int from telegram_chats
          where app_id = ${appId} and channel_id = ${channelId}) as chats,
          (select count(*)::int from telegram_chats
            where app_id = ${appId} and channel_id = ${channelId} and status <> 'active') as blocked_chats,
          c.last_success_at as last_out_at, coalesce(a.unknown, 0) as unknown_24h, coalesce(a.rejected,
            0) as rejected_24h, a.p50 as latency_p50_ms, a.p95 as latency_p95_ms,
          (select blocked_until from telegram_paces p
            where p.app_id = ${appId} and p.channel_id =
              ${channelId} and p.chat_id = 0 and p.blocked_until > now()) as blocked_until
        from channels c left join lateral (
          select count(*) filter (where a.outcome = 'unknown')::int as unknown,
            count(*) filter (where a.outcome = 'rejected')::int as rejected,
            percentile_cont(0.5) within group (order by a.latency_ms) filter (where a.outcome = 'sent') as p50,
            percentile_cont(0.95) within group (order by a.latency_ms) filter (where a.outcome = 'sent') as p95
          from lanes l join delivery_attempts a on a.app_id = l.app_id and a.session_id = l.session_id
            and a.channel_id = l.channel_id
          where l.app_id = c.app_id and l.channel_id = c.channel_id and a.started_at > now() - interval '24 hours'
        ) a on true
        where c.app_id = ${appId} and c.channel_id = ${channelId}`
          ).pipe(
            Effect.map(
              ([row]) =>
                row ?? {
                  chats: 0,
                  blocked_chats: 0,
                  last_out_at: null,
                  unknown_24h: 0,
                  rejected_24h: 0,
                  latency_p50_ms: null,
                  latency_p95_ms: null,
                  blocked_until: null
                }
            )
          )
      })
    })
  )
}
