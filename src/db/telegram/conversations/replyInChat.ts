import * as Effect from "effect/Effect"
import { refOf } from "#channels/telegram/readMessage.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { Database, MAX_TOGETHER } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { appendOnce } from "./appendOnce.ts"
import type { ChatKey } from "./ChatOpening.ts"
import { STALE_AFTER } from "./chatStatus.ts"
import { sessionOf } from "./sessionOf.ts"

export interface Notice {
  readonly key: string
  readonly kind: string
  readonly text: string
}

/** Posts a service reply on a log, once per key. Undefined: it is there, or the log is not. */
export const appendNotice = (appId: string, logId: string, { key, kind, text }: Notice) =>
  appendOnce(appId, logId, { key, type: "channel.notice", role: "system", payload: { kind, text } })

/** Above these ids, which count down, are ordinary groups. */
const SUPERGROUPS_FROM = -1_000_000_000_000
const kindOf = (chatId: number) => (chatId > 0 ? "private" : chatId > SUPERGROUPS_FROM ? "group" : "supergroup")

/**
 * The log for service replies of a chat without a session, and its lane. Its status keeps it apart from sessions, so
 * that no other channel gets it. A parked lane is tried again, because it replies to somebody who has just written.
 */
const openServiceLog = Effect.fnUntraced(function* ({ appId, channelId, chatId, threadId }: ChatKey) {
  const { query } = yield* Database
  const newLog = newId("svc")
  // Locks the chat. Who erases its person locks it as well, so the log cannot be left behind.
  const [chat] = yield* query<Array<{ service_log_id: string | null }>>(
    (sql) => sql`
      insert into telegram_chats as c (app_id, channel_id, chat_id, thread_id, kind, external_user_ref, last_in_at,
        service_log_id)
      values (${appId}, ${channelId}, ${chatId}, ${threadId}, ${kindOf(chatId)}, ${refOf(chatId)}, now(), ${newLog})
      on conflict (app_id, channel_id, chat_id, thread_id) do update
        set service_log_id = coalesce(c.service_log_id, excluded.service_log_id)
      returning c.service_log_id`
  )
  const logId = chat?.service_log_id ?? newLog
  // A log that is there is locked, too, before its lane.
  yield* Effect.all(
    [
      query(
        (sql) => sql`
          insert into telegram_paces (app_id, channel_id, chat_id) values (${appId}, ${channelId}, ${chatId})
          on conflict do nothing`
      ),
      query(
        (sql) => sql`
          insert into session_logs (app_id, session_id, status) values (${appId}, ${logId}, 'service')
          on conflict (app_id, session_id) do update set status = excluded.status`
      ),
      query(
        (sql) => sql`
          insert into lanes as l (app_id, session_id, channel_id, generation, position, head, status)
          select app_id, ${logId}, channel_id, generation, 0, 0, 'idle' from channels
          where app_id = ${appId} and channel_id = ${channelId} and status <> 'deleted'
          on conflict (app_id, session_id, channel_id) do update
            set status = 'ready', due_at = now(), stale_before = now() - ${STALE_AFTER}::interval
            where l.status = 'parked'`
      )
    ],
    MAX_TOGETHER
  )
  return logId
})

/**
 * Posts a service reply to a chat: on the log of its session, behind everything that is still to be sent there. After
 * an erasure, and before a session could begin, there is none. Then it goes on the chat's service log.
 */
export const replyInChat = Effect.fnUntraced(function* (chat: ChatKey, notice: Notice) {
  const sessionId = yield* sessionOf(chat)
  // A session that is just being erased may have no log any more.
  const posted = sessionId === null ? undefined : yield* appendNotice(chat.appId, sessionId, notice)
  if (posted === undefined) yield* appendNotice(chat.appId, yield* openServiceLog(chat), notice)
}, inTransaction)
