import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { refOf } from "#channels/telegram/readMessage.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { ChatKey } from "./conversations/ChatOpening.ts"
import { lockAllowancesOf } from "#src/db/billing/moneyStatements.ts"
import { eraseSessions } from "#src/db/privacy/eraseSessions.ts"
import { blankPerson, eraseTraces, insertDoneErasure } from "#src/db/privacy/erasePerson.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"

const CONFIRM_WITHIN = "5 minutes"

/**
 * Erases what an app's bots know about a person: their sessions in all channels, what else is stored about them, and
 * their updates.
 */
export class ForgetRequests extends Context.Service<
  ForgetRequests,
  {
    /** Erases on the second request soon after the first. False: this was the first request. */
    readonly ask: (chat: ChatKey) => Effect.Effect<boolean, DatabaseError>
  }
>()("src/db/telegram/ForgetRequests") {
  static readonly layer = Layer.effect(
    ForgetRequests,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const within = Effect.provideContext(yield* Effect.context<Database | Tables>())

      const forget = Effect.fnUntraced(function* (appId: string, refs: ReadonlyArray<string>) {
        const rows = yield* query<Array<{ session_id: string }>>(
          (sql) =>
            sql`select session_id from sessions
                where app_id = ${appId} and external_user_ref = any(${[...refs]}::text[])`
        )
        yield* eraseSessions(
          appId,
          rows.map(({ session_id }) => session_id)
        )
        for (const ref of new Set(refs)) {
          yield* query((sql) => blankPerson(sql, appId, ref))
          yield* eraseTraces(appId, ref)
          yield* query((sql) => insertDoneErasure(sql, appId, ref))
        }
      }, within)

      const ask = Effect.fnUntraced(function* ({ appId, channelId, chatId, threadId }: ChatKey) {
        const [known] = yield* query<Array<{ external_user_ref: string }>>(
          (sql) => sql`
        select external_user_ref from telegram_chats
          where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId}`
        )
        // Before a link connected them to a user of the app, the person had a reference derived from the chat.
        yield* query((sql) => lockAllowancesOf(sql, appId, [known?.external_user_ref ?? "", refOf(chatId)]))
        const [chat] = yield* query<Array<{ external_user_ref: string; sure: boolean }>>(
          (sql) => sql`
        select external_user_ref, coalesce(forget_until > now(), false) as sure from telegram_chats
        where app_id = ${appId} and channel_id =
          ${channelId} and chat_id = ${chatId} and thread_id = ${threadId} for update`
        )
        const sure = chat?.sure ?? false
        yield* query(
          (sql) => sql`
        update telegram_chats set forget_until = case when not ${sure} then now() + ${CONFIRM_WITHIN}::interval end
        where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId}`
        )
        if (chat !== undefined && sure) yield* forget(appId, [chat.external_user_ref, refOf(chatId)])
        return sure
      }, transaction)

      return ForgetRequests.of({ ask })
    })
  )
}
