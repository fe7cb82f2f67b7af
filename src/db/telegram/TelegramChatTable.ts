import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Chat, ChatsUnavailable, TelegramChats } from "#channels/telegram/TelegramChats.ts"
import { fillMacros } from "#pipeline/domain/macros.ts"
import { Database } from "../Database.ts"

const NEUTRAL = "Sorry, I lost my thread there. Say that again?"

/** The chats of bots in PostgreSQL. */
export const layer = Layer.effect(TelegramChats, Effect.gen(function*() {
  const { query, transaction } = yield* Database
  const unavailable = Effect.mapError((cause: unknown) => new ChatsUnavailable({ cause }))

  return TelegramChats.of({
    get: ({ appId, channelId, sessionId }) => query<Array<Chat>>((sql) => sql`
      select chat_id as "chatId", thread_id as "threadId", status from telegram_chats
      where app_id = ${appId} and channel_id = ${channelId} and session_id = ${sessionId}`).pipe(Effect.map((rows) => rows[0]), unavailable),

    mark: ({ appId, channelId, sessionId }, status, reason) => query((sql) => sql`
      update telegram_chats set status = ${status}, reason = ${reason}
      where app_id = ${appId} and channel_id = ${channelId} and session_id = ${sessionId} and status = 'active' returning 1`).pipe(Effect.map((rows) => rows.length > 0), unavailable),

    migrate: ({ appId, channelId }, from, to) => transaction(Effect.gen(function*() {
      // Whoever comes second finds nothing to do.
      yield* query((sql) => sql`
        update telegram_chats c set chat_id = ${to}, kind = 'supergroup' where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${from}
          and not exists (select from telegram_chats x where x.app_id = c.app_id and x.channel_id = c.channel_id and x.chat_id = ${to} and x.thread_id = c.thread_id)`)
      yield* query((sql) => sql`
        insert into telegram_paces (app_id, channel_id, chat_id) values (${appId}, ${channelId}, ${to}) on conflict do nothing`)
    })).pipe(unavailable),

    // The chat itself may have a session of its own: then this one has nowhere to go but there.
    leaveThread: ({ appId, channelId, sessionId }) => query((sql) => sql`
      update telegram_chats c set thread_id = 0 where app_id = ${appId} and channel_id = ${channelId} and session_id = ${sessionId}
        and not exists (select from telegram_chats x where x.app_id = c.app_id and x.channel_id = c.channel_id and x.chat_id = c.chat_id and x.thread_id = 0)`).pipe(Effect.asVoid, unavailable),

    apology: ({ appId, channelId, sessionId }, cursor) => query<Array<{ line: string | null; name: string | null; display_name: string | null }>>((sql) => sql`
      with allowed as (
        update telegram_chats set apologised_at = now(), apologised_cursor = ${cursor}
        where app_id = ${appId} and channel_id = ${channelId} and session_id = ${sessionId}
          and (apologised_at is null or apologised_at < now() - interval '1 hour' or apologised_cursor = ${cursor}) returning 1
      )
      select v.profile -> 'fallback_lines' ->> 0 as line, v.profile ->> 'display_name' as name, u.display_name
      from allowed, sessions s join characters c on c.app_id = s.app_id and c.slug = s.character_slug
      join character_versions v on v.app_id = c.app_id and v.slug = c.slug and v.version = c.version
      join end_users u on u.app_id = s.app_id and u.external_user_ref = s.external_user_ref
      where s.app_id = ${appId} and s.session_id = ${sessionId}`).pipe(
      Effect.map(([row]) => row === undefined ? null : fillMacros(row.line ?? NEUTRAL, { character: row.name ?? "", user: row.display_name })),
      unavailable
    )
  })
}))
