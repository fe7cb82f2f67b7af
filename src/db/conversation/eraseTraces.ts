import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"

/**
 * Deletes what else is stored about a person apart from their sessions (eraseSessions), in the caller's transaction.
 */
export const eraseTraces = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
  const { query } = yield* Database
  yield* query(
    (sql) => sql`
    update telegram_updates u set raw = '{}' from telegram_chats c
    where c.app_id = ${appId} and c.external_user_ref = ${externalUserRef}
      and u.app_id = c.app_id and u.channel_id = c.channel_id and (u.chat_id = c.chat_id or (u.chat_id = 0
        and u.sender_id = c.chat_id)) and u.thread_id = c.thread_id and u.done_at is not null`
  )
  yield* query(
    (sql) => sql`delete from telegram_links where app_id = ${appId} and external_user_ref = ${externalUserRef}`
  )
  yield* query(
    (sql) => sql`
    update worlds w set revision = revision + 1 from (select distinct slug from arc_influences
      where app_id = ${appId} and external_user_ref =
        ${externalUserRef}) a where w.app_id = ${appId} and w.slug = a.slug`
  )
  yield* query(
    (sql) => sql`delete from arc_influences where app_id = ${appId} and external_user_ref = ${externalUserRef}`
  )
  // Stored responses to creates of their sessions, and of influences in them.
  yield* query(
    (sql) => sql`
    delete from idempotency_keys where app_id =
      ${appId} and coalesce(response #>> '{data,external_user_ref}',
        response #>> '{data,scope,external_user_ref}') = ${externalUserRef}`
  )
})

/**
 * Deletes what the app has stored about a person. That they are a minor is kept, so that erasure does not remove the
 * protection.
 */
export const blankPerson = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
  const { query } = yield* Database
  yield* query(
    (sql) => sql`
    update end_users set display_name = null, timezone = null, locale = null, age_band = case age_band when 'minor'
      then 'minor' else 'unknown' end where app_id = ${appId} and external_user_ref = ${externalUserRef}`
  )
})
