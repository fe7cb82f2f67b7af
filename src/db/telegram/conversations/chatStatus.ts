import * as Effect from "effect/Effect"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { scheduleProactiveChecks } from "#src/db/conversation/proactiveChecks.ts"
import type { ChatKey } from "./ChatOpening.ts"

/** After an unblock, messages older than this are not sent any more. */
export const STALE_AFTER = "10 minutes"

export type Chat = Pick<ChatKey, "appId" | "channelId" | "chatId">
export interface Unreachable {
  readonly status: "blocked" | "unreachable"
  readonly reason: string
  readonly updateId: number
}

/**
 * Whether the update is newer than the one that last decided the chat's status. Update numbers are only comparable
 * within a day, which is as long as two updates can overtake each other: after a week without any, Telegram continues
 * with a random number, which may be lower.
 */
const isYounger = (sql: Sql, updateId: number) =>
  sql`(status_update_id < ${updateId} or coalesce(status_update_at < now() - interval '3 days', true))`

const reviveUnreachable = Effect.fnUntraced(function* ({ appId, channelId, chatId }: Chat, updateId: number) {
  const { query } = yield* Database
  const back = yield* query<Array<{ session_id: string | null; service_log_id: string | null }>>(
    (sql) => sql`
        update telegram_chats set status = 'active', reason = null,
          status_update_id = ${updateId}, status_update_at = now()
        where app_id = ${appId} and channel_id =
          ${channelId} and chat_id = ${chatId} and status in ('blocked', 'unreachable')
            and ${isYounger(sql, updateId)} returning session_id, service_log_id`
  )
  const ids = back.flatMap(({ session_id }) => session_id ?? [])
  const logs = [...ids, ...back.flatMap(({ service_log_id }) => service_log_id ?? [])]
  if (logs.length === 0) return
  yield* query((sql) => scheduleProactiveChecks(sql, sql`select ${appId}::text, unnest(${ids}::text[])`))
  yield* query(
    (sql) => sql`
        update lanes set status = case when position < head then 'ready' else 'idle' end, due_at = now(),
          stale_before = now() - ${STALE_AFTER}::interval
        where app_id = ${appId} and channel_id =
          ${channelId} and session_id = any(${logs}::text[]) and status = 'parked'`
  )
  yield* query((sql) => sql`select graphile_worker.add_job('deliver', '{}'::json)`)
  for (const sessionId of ids)
    yield* appendOperational({
      appId,
      type: "chat.unblocked",
      payload: { channel_id: channelId, session_id: sessionId }
    })
}, inTransaction)

/**
 * The bot may write to the chat again, unless a newer update says otherwise. Normally nothing has changed, which a
 * single query detects.
 */
export const reviveChat = Effect.fnUntraced(function* (chat: Chat, updateId: number) {
  const { query } = yield* Database
  const shut = yield* query(
    (sql) => sql`
        select 1 from telegram_chats where app_id =
          ${chat.appId} and channel_id =
            ${chat.channelId} and chat_id = ${chat.chatId} and status in ('blocked', 'unreachable') limit 1`
  )
  if (shut.length > 0) yield* reviveUnreachable(chat, updateId)
})

/** The bot may no longer write to the chat, unless a newer update says otherwise. */
export const markChatUnreachable = Effect.fnUntraced(function* (
  { appId, channelId, chatId }: Chat,
  { status, reason, updateId }: Unreachable
) {
  const { query } = yield* Database
  const lost = yield* query<Array<{ session_id: string | null }>>(
    (sql) => sql`
        update telegram_chats set status =
          ${status}, reason = 'chat_member', status_update_id = ${updateId}, status_update_at = now()
        where app_id = ${appId} and channel_id =
          ${channelId} and chat_id = ${chatId} and status = 'active' and ${isYounger(sql, updateId)}
          and not exists (
            select from telegram_updates u
              where u.app_id = ${appId} and u.channel_id =
                ${channelId} and u.chat_id = ${chatId}
                  and u.update_id > ${updateId} and u.kind in ('text', 'command', 'callback')
          ) returning session_id`
  )
  for (const { session_id } of lost)
    if (session_id !== null)
      yield* appendOperational({
        appId,
        type: `chat.${status}`,
        payload: { channel_id: channelId, session_id, reason }
      })
}, inTransaction)
