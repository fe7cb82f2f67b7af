import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LogSignals } from "#channels/event-log/LogSignals.ts"
import { type ChatRef, ChatsUnavailable, TelegramChats } from "#channels/telegram/TelegramChats.ts"
import { fillMacros } from "#pipeline/domain/macros.ts"
import { OwnTexts } from "#pipeline/texts/OwnTexts.ts"
import { textsFor } from "#pipeline/texts/textsFor.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { type ChatLanguages, languagesOfSession, tagsOfChat } from "./chatLanguages.ts"
import { chatOf, keyOf } from "./chatOf.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { migrateChat } from "./migrateChat.ts"

interface ApologyRow extends ChatLanguages {
  readonly line: string | null
  readonly name: string | null
  readonly display_name: string | null
}

/**
 * The beginning of a statement that changes the chat of a session or service log. It continues with
 * `update telegram_chats t ...` and ends with `ofHeld`.
 */
const withHeld = (sql: Sql, ref: ChatRef) => sql`with held as materialized (${chatOf(sql, ref)})`
const ofHeld = (sql: Sql, ref: ChatRef) => sql`
  from held h where t.app_id = h.app_id and t.channel_id = h.channel_id and t.chat_id = h.chat_id
    and t.thread_id = h.thread_id and t.${keyOf(sql, ref)} = h.${keyOf(sql, ref)}`

/** The chats of bots in PostgreSQL. */
export const layer = Layer.effect(
  TelegramChats,
  Effect.gen(function* () {
    const { query, transaction } = yield* Database
    const own = yield* OwnTexts
    const services = yield* Effect.context<Database | LogSignals | Tables>()
    const unavailable = Effect.mapError((cause: unknown) => new ChatsUnavailable({ cause }))

    return TelegramChats.of({
      mark: Effect.fnUntraced(
        function* (ref: ChatRef, status: "blocked" | "unreachable", reason: string) {
          const [lost] = yield* query<Array<{ session_id: string | null }>>(
            (sql) => sql`
        ${withHeld(sql, ref)} update telegram_chats t
          set status = ${status}, reason = ${reason} ${ofHeld(sql, ref)} and t.status = 'active' returning t.session_id`
          )
          if (typeof lost?.session_id === "string")
            yield* appendOperational({
              appId: ref.appId,
              type: `chat.${status}`,
              payload: { channel_id: ref.channelId, session_id: lost.session_id, reason }
            })
        },
        transaction,
        Effect.provideContext(services),
        unavailable
      ),

      migrate: ({ appId, channelId }, from, to) =>
        transaction(migrateChat(appId, channelId, from, to)).pipe(Effect.provideContext(services), unavailable),

      // If the chat itself already has another session, this one stays in its thread.
      leaveThread: (ref) =>
        query(
          (sql) => sql`
      ${withHeld(sql, ref)} update telegram_chats t set thread_id = 0 ${ofHeld(sql, ref)}
        and not exists (select from telegram_chats x where x.app_id = h.app_id and x.channel_id = h.channel_id
          and x.chat_id = h.chat_id and x.thread_id = 0)`
        ).pipe(Effect.asVoid, unavailable),

      apology: (ref, cursor) =>
        query<Array<ApologyRow>>(
          (sql) => sql`
      ${withHeld(sql, ref)}, allowed as (
        update telegram_chats t set apologised_at = now(), apologised_cursor = ${cursor} ${ofHeld(sql, ref)}
          and (t.apologised_at is null or t.apologised_at < now() - interval '1 hour'
            or t.apologised_cursor = ${cursor}) returning t.language_code
      )
      select v.profile -> 'fallback_lines' ->> 0 as line, v.profile ->> 'display_name' as name, u.display_name,
        allowed.language_code, u.locale, v.profile -> 'voice' -> 'languages' as languages
      from allowed, sessions s join characters c on c.app_id = s.app_id and c.slug = s.character_slug
      join character_versions v on v.app_id = c.app_id and v.slug = c.slug and v.version = c.version
      join end_users u on u.app_id = s.app_id and u.external_user_ref = s.external_user_ref
      where s.app_id = ${ref.appId} and s.session_id = ${ref.sessionId}`
        ).pipe(
          Effect.map(([row]) =>
            row === undefined
              ? null
              : row.line === null
                ? textsFor(tagsOfChat(row), own).apology
                : fillMacros(row.line, { character: row.name ?? "", user: row.display_name, seed: ref.sessionId })
          ),
          unavailable
        ),

      ending: (ref) =>
        Effect.map(languagesOfSession(ref), (tags) => textsFor(tags, own).ended).pipe(
          Effect.provideContext(services),
          unavailable
        )
    })
  })
)
