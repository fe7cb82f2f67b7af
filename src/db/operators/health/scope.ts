import { MAX_REACH } from "#src/health/limits.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"

/** Maximum number of rows of one kind. More are not read: the answer says so (`complete`). */
export const MOST = 1000

/** Chats in which people talk to a bot `b`, up to a limit. */
export const chatsOf = (sql: Sql) => sql`(
  select count(*)::int from (
    select t.chat_id from telegram_chats t where t.app_id = b.app_id and t.channel_id = b.channel_id
    limit ${MAX_REACH}::int
  ) t)`

/** Conversations of an app in which somebody wrote within the week before, among its latest turns. */
export const conversationsBefore = (sql: Sql, appId: Query, time: Query) => sql`(
  select count(distinct l.session_id)::int from (
    select l.session_id from ledger l
    where l.app_id = ${appId} and l.entry = 'hold' and l.at >= ${time} - interval '7 days' and l.at <= ${time}
    order by l.at desc limit ${MAX_REACH}::int
  ) l)`

/** Limits rows to one app. Null: those of all apps. */
export const ofApp = (sql: Sql, column: Query, appId: string | null) =>
  appId === null ? sql`` : sql`and ${column} = ${appId}`
