import * as Effect from "effect/Effect"
import type postgres from "postgres"
import type { ChatRef } from "#channels/telegram/TelegramChats.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { chatOf } from "./chatOf.ts"
import type { ChatKey } from "./conversations/ChatOpening.ts"

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** What is known of the language of a chat, from the most important tag on. */
export interface ChatLanguages {
  /** That of Telegram of the person who wrote last. */
  readonly language_code: string | null
  readonly locale: string | null
  /** Those of the character's voice. */
  readonly languages: ReadonlyArray<string> | null
}

export const tagsOfChat = ({ language_code, locale, languages }: ChatLanguages): ReadonlyArray<string | null> => [
  language_code,
  locale,
  ...(languages ?? [])
]

const voiceOf = (sql: Sql, appId: Fragment, slug: Fragment) => sql`
  select v.profile -> 'voice' -> 'languages' from characters c
  join character_versions v on v.app_id = c.app_id and v.slug = c.slug and v.version = c.version
  where c.app_id = ${appId} and c.slug = ${slug}`

const read = Effect.fnUntraced(function* (
  { appId, channelId }: Pick<ChatRef, "appId" | "channelId">,
  chat: (sql: Sql) => Fragment,
  writes: string | null = null
) {
  const { query } = yield* Database
  const [row] = yield* query<Array<ChatLanguages>>(
    (sql) => sql`
      with t as materialized (${chat(sql)})
      select t.language_code, u.locale, (${voiceOf(sql, sql`b.app_id`, sql`b.character_slug`)}) as languages
      from telegram_bots b
      left join t on true
      left join end_users u on u.app_id = b.app_id and u.external_user_ref = t.external_user_ref
      where b.app_id = ${appId} and b.channel_id = ${channelId}`
  )
  return row === undefined ? [writes] : tagsOfChat({ ...row, language_code: writes ?? row.language_code })
})

/** The language tags of the chat of a session, from the most important one on. */
export const languagesOfSession = (ref: ChatRef) => read(ref, (sql) => chatOf(sql, ref))

/** The same of a chat, which may be new. `writes`: the language of Telegram of the person who writes at this moment. */
export const languagesOfChat = (key: ChatKey, writes: string | null) =>
  read(
    key,
    (sql) => sql`
      select * from telegram_chats where app_id = ${key.appId} and channel_id = ${key.channelId}
        and chat_id = ${key.chatId} and thread_id = ${key.threadId}`,
    writes
  )

/** The languages of a character's voice. */
export const voiceLanguages = (appId: string, slug: string) =>
  Database.use(({ query }) =>
    query<Array<{ languages: ReadonlyArray<string> | null }>>(
      (sql) => sql`select (${voiceOf(sql, sql`${appId}`, sql`${slug}`)}) as languages`
    )
  ).pipe(Effect.map(([row]) => row?.languages ?? []))
