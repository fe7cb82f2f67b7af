import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "../Database.ts"
import { releaseHolds } from "../turnStatements.ts"
import type { ChatKey } from "./Conversations.ts"

const SURE_WITHIN = "5 minutes"

/** What a person asks a bot to forget: the sessions that were held in their chat, and the updates that they came by. */
export class Forgetting extends Context.Service<Forgetting, {
  /** True when it has been asked for just before. */
  readonly confirm: (chat: ChatKey) => Effect.Effect<boolean, DatabaseError>
  readonly forget: (chat: ChatKey) => Effect.Effect<void, DatabaseError>
}>()("src/db/telegram/Forgetting") {
  static readonly layer = Layer.effect(Forgetting, Effect.gen(function*() {
    const { query, transaction } = yield* Database

    const forget = Effect.fnUntraced(function*({ appId, channelId, chatId, threadId }: ChatKey) {
      const [chat] = yield* query<Array<{ external_user_ref: string }>>((sql) => sql`
        update telegram_chats set session_id = null, forget_until = null
        where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId} returning external_user_ref`)
      if (chat === undefined) return
      yield* query((sql) => sql`
        select 1 from allowances where app_id = ${appId} and (kind = 'app' or kind = 'end_user' and external_user_ref = ${chat.external_user_ref}) order by kind for no key update`)
      const rows = yield* query<Array<{ session_id: string }>>((sql) => sql`
        select s.session_id from sessions s join session_logs l using (app_id, session_id)
        where s.app_id = ${appId} and s.external_user_ref = ${chat.external_user_ref} order by s.session_id for update of l`)
      const ids = rows.map(({ session_id }) => session_id)
      yield* query((sql) => sql`update telegram_chats set session_id = null where app_id = ${appId} and session_id = any(${ids}::text[])`)
      yield* query((sql) => releaseHolds(sql, appId, ids))
      for (const table of ["lanes", "delivery_attempts", "turn_stages", "turns", "events", "session_logs", "sessions"]) {
        yield* query((sql) => sql`delete from ${sql(table)} where app_id = ${appId} and session_id = any(${ids}::text[])`)
      }
      yield* query((sql) => sql`
        update end_users set display_name = null, timezone = null, locale = null, age_band = 'unknown' where app_id = ${appId} and external_user_ref = ${chat.external_user_ref}`)
      yield* query((sql) => sql`
        update telegram_updates set raw = '{}' where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId} and done_at is not null`)
    }, transaction)

    return Forgetting.of({
      confirm: ({ appId, channelId, chatId, threadId }) => query<Array<{ sure: boolean }>>((sql) => sql`
        update telegram_chats c set forget_until = case when o.sure then null else now() + ${SURE_WITHIN}::interval end
        from (select coalesce(forget_until > now(), false) as sure from telegram_chats
          where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId} for update) o
        where c.app_id = ${appId} and c.channel_id = ${channelId} and c.chat_id = ${chatId} and c.thread_id = ${threadId} returning o.sure`).pipe(Effect.map(([row]) => row?.sure ?? false)),
      forget
    })
  }))
}
