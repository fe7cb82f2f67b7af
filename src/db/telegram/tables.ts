import { iso } from "#src/db/postgres/moments.ts"
import type { PageOf, PersonOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"

const NOT_PLAYED = { not: "evals play without bots" }

/** What the person has sent, as far as it is done with: what is open is answered first. */
const blankUpdates: Statement<PersonOf> = (sql, { appId, externalUserRef }) => sql`
  update telegram_updates u set raw = '{}' from telegram_chats c
  where c.app_id = ${appId} and c.external_user_ref = ${externalUserRef}
    and u.app_id = c.app_id and u.channel_id = c.channel_id and (u.chat_id = c.chat_id or (u.chat_id = 0
      and u.sender_id = c.chat_id)) and u.thread_id = c.thread_id and u.done_at is not null`

const deleteChats: Statement<PersonOf> = (sql, { appId, externalUserRef }) => sql`
  with gone as (
    delete from telegram_chats where app_id = ${appId} and external_user_ref = ${externalUserRef}
      and session_id is null returning app_id, channel_id, chat_id
  )
  delete from telegram_paces p using gone g where p.app_id = g.app_id and p.channel_id = g.channel_id
    and p.chat_id = g.chat_id`

const chats: Statement<PageOf> = (sql, { appId, externalUserRef, after, limit }) => sql`
  select channel_id || ' ' || chat_id || ' ' || thread_id as at, (
      select to_json(r)::text from (
        select c.channel_id as bot_id, c.chat_id, c.thread_id, c.kind, c.session_id, c.status, c.language_code,
          ${iso(sql, "last_in_at", "c")}, ${iso(sql, "created_at", "c")}, array(
            select json_build_object('created_at', r.created_at, 'text', r.text) from (
              select ${iso(sql, "created_at", "e")}, e.payload ->> 'text' as text, e.cursor from events e
              where e.app_id = c.app_id and e.session_id = c.service_log_id
            ) r order by r.cursor
          ) as service_replies
      ) r
    ) as row
  from telegram_chats c where app_id = ${appId} and external_user_ref = ${externalUserRef}
    and channel_id || ' ' || chat_id || ' ' || thread_id > ${after}
  order by 1 limit ${limit}::int`

export const tables: ReadonlyArray<Table> = [
  {
    name: "telegram_chats",
    retention: { bounded: "one row for each chat of a bot; erased with its person" },
    owners: { app: "app_id", session: "session_id", person: "external_user_ref" },
    erasure: {
      session: {
        instead: (sql, { appId, sessionIds }) => sql`
          with replies as (
            update telegram_chats set service_log_id = null
              where app_id = ${appId} and service_log_id = any(${[...sessionIds]}::text[])
          )
          update telegram_chats set session_id = null
            where app_id = ${appId} and session_id = any(${[...sessionIds]}::text[])`
      },
      chats: { instead: deleteChats }
    },
    exported: {
      file: "telegram_chats.json",
      about: "The Telegram chats in which they have written, and what bots replied there outside of any session.",
      shape: "array",
      by: "person",
      rows: chats
    }
  },
  { name: "telegram_paces", retention: { bounded: "one row for each bot and chat" }, owners: { app: "app_id" } },
  {
    name: "telegram_updates",
    retention: { bounded: "three days after arrival, once it is answered" },
    owners: { app: "app_id" },
    erasure: { traces: { instead: blankUpdates } }
  },
  {
    name: "telegram_links",
    retention: { bounded: "a few for each person; deleted with the bot or the person" },
    owners: { app: "app_id", person: "external_user_ref" },
    erasure: { traces: "deleted" },
    exported: { not: "codes that link a chat to them, stored as hashes" }
  },
  {
    name: "telegram_provisionings",
    retention: { bounded: "until the bot is created or its link expires" },
    owners: { app: "app_id" }
  },
  {
    name: "telegram_batch_items",
    retention: { setting: "BATCH_RETENTION_DAYS", rows: "of finished batches" },
    owners: { app: "app_id", character: "character_slug" },
    copied: NOT_PLAYED
  },
  {
    name: "telegram_batches",
    retention: { setting: "BATCH_RETENTION_DAYS", rows: "when they are finished" },
    owners: { app: "app_id" }
  },
  { name: "telegram_names", retention: { bounded: "until a day after the link expires" }, owners: { app: "app_id" } },
  {
    name: "telegram_bots",
    retention: { bounded: "one row for each bot" },
    owners: { app: "app_id", character: "character_slug" },
    copied: NOT_PLAYED
  },
  {
    name: "telegram_holds",
    retention: { bounded: "one row for each suspension in force" },
    owners: { app: "scope" },
    moved: { where: "kind <> 'move'" }
  },
  { name: "telegram_manager_updates", retention: { bounded: "three days after they are handled" }, owners: {} },
  { name: "telegram_unclaimed", retention: { bounded: "until the owner names the request" }, owners: {} },
  { name: "telegram_manager", retention: { bounded: "one row" }, owners: {} },
  { name: "telegram_batch_paces", retention: { bounded: "one row for each kind of batch" }, owners: {} }
]
