import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Database } from "#src/db/postgres/Database.ts"
import { lockAllowances } from "#src/db/billing/moneyStatements.ts"
import { eraseSessions } from "#src/db/privacy/eraseSessions.ts"

/** A message of the chat is being accepted at this moment. Retry shortly. */
export class ChatBusy extends Schema.TaggedError<ChatBusy>()("ChatBusy", {}) {}

interface Young {
  readonly thread_id: number
  readonly session_id: string | null
  readonly service_log_id: string | null
  readonly answered: boolean
}

/**
 * A group has moved to another chat, and its sessions continue there. If someone wrote in the new chat before we
 * learned of the move, a session was opened there. It gives way: unanswered messages are handed to the old session. A
 * session that was already answered stays as it is, without a chat.
 */
export const migrateChat = Effect.fnUntraced(function* (appId: string, channelId: string, from: number, to: number) {
  const database = yield* Database
  const { query } = database
  const there = yield* query<Array<{ session_id: string }>>(
    (sql) => sql`
    select session_id from telegram_chats
      where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${to} and session_id is not null`
  )
  yield* query((sql) =>
    lockAllowances(
      sql,
      there.map(() => appId),
      there.map((row) => row.session_id)
    )
  )
  const young = yield* query<Array<Young>>(
    (sql) => sql`
    select n.thread_id, n.session_id, n.service_log_id, exists (
      select from events e where e.app_id = n.app_id and e.session_id = n.session_id and e.type = 'message.created'
        and e.role = 'character'
    ) as answered
    from telegram_chats n join telegram_chats o on o.app_id = n.app_id and o.channel_id = n.channel_id
      and o.thread_id = n.thread_id and o.chat_id = ${from}
    where n.app_id = ${appId} and n.channel_id = ${channelId} and n.chat_id = ${to} and ${from}::bigint <> ${to}::bigint
    order by n.thread_id for update of n, o`
  )
  // From here on, new messages of the chat wait for our commit. Messages that arrived before have to be finished first.
  const busy =
    young.length > 0 &&
    (yield* query(
      (sql) => sql`
    select 1 from telegram_updates where owner is not null
      and app_id = ${appId} and channel_id = ${channelId} and chat_id = ${to} and kind in ('text', 'callback') limit 1`
    )).length > 0
  if (busy) return yield* new ChatBusy()
  for (const { thread_id, session_id, service_log_id, answered } of young) {
    if (session_id !== null && answered)
      yield* query(
        (sql) =>
          sql`delete from lanes where app_id = ${appId} and session_id = ${session_id} and channel_id = ${channelId}`
      )
    if (session_id !== null && !answered) {
      yield* query(
        (sql) => sql`
        update telegram_updates u set done_at = null, owner = null, batch = null, attempts = 0, due_at = now()
        where u.app_id = ${appId} and u.channel_id =
          ${channelId} and u.chat_id = ${to}
            and u.thread_id = ${thread_id} and u.kind in ('text', 'callback') and u.done_at is not null
          and exists (select from turns t where t.app_id = u.app_id
            and t.session_id = ${session_id}
              and t.client_message_id = ${`tg:${channelId}:`} || coalesce(u.batch, u.update_id))`
      )
      yield* eraseSessions(appId, [session_id])
    }
    if (service_log_id !== null) yield* eraseSessions(appId, [service_log_id])
    yield* query(
      (sql) =>
        sql`delete from telegram_chats
          where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${to} and thread_id = ${thread_id}`
    )
  }
  yield* query(
    (sql) => sql`
    update telegram_chats set chat_id =
      ${to}, kind = 'supergroup' where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${from}`
  )
  yield* query(
    (sql) =>
      sql`insert into telegram_paces (app_id, channel_id, chat_id)
        values (${appId}, ${channelId}, ${to}) on conflict do nothing`
  )
  if (young.length > 0) yield* query((sql) => sql`select graphile_worker.add_job('telegram', '{}'::json)`)
})
