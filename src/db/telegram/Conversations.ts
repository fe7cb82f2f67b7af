import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { EMPTY_PATCH } from "#pipeline/relational/Patch.ts"
import { appendOperational } from "#src/db/delivery/appendOperational.ts"
import { Database, type DatabaseError, type Sql, TOGETHER } from "#src/db/postgres/Database.ts"
import { scheduleProactiveChecks } from "#src/db/conversation/proactiveChecks.ts"
import { moveHeads } from "#src/db/delivery/moveHeads.ts"
import type { QuotaReached } from "#src/db/tenancy/quotas.ts"
import { Relationships } from "#src/db/memory/Relationships.ts"
import { type CharacterUnavailable, Sessions } from "#src/db/conversation/Sessions.ts"
import { chatOf } from "./chatOf.ts"

/** After a block is lifted, what was said longer ago than this is not sent any more. */
const STALE_AFTER = "10 minutes"

export interface ChatKey {
  readonly appId: string
  readonly channelId: string
  readonly chatId: number
  readonly threadId: number
}

export interface Meeting extends ChatKey {
  readonly kind: string
  readonly characterSlug: string
  readonly externalUserRef: string
  readonly displayName: string | null
  readonly locale: string | null
  /** What the link by which the person came has in it, of the app's own: it is noted on a session that is opened. */
  readonly startPayload: string | null
  /**
   * `keep`: the session that there is. `renew`: a new one where the character has left the old one. `anew`: another
   * one. `join`: the one that this person has, in whatever channel.
   */
  readonly session: "keep" | "renew" | "anew" | "join"
}

export interface Met {
  readonly sessionId: string
  readonly status: "active" | "exited" | "archived"
  /** It was opened just now. */
  readonly created: boolean
  /** It has something on its log already: a greeting. */
  readonly spoken: boolean
}

export interface Edit {
  readonly updateId: number
  readonly messageId: number
  readonly text: string
}

/** How far back, counted in updates of the bot, the message that was edited is looked for. */
const LOOKED_BACK = 5000

interface Appended {
  readonly key: string
  readonly type: "channel.notice" | "message.edited"
  readonly role: "system" | "user"
  readonly payload: object
}

interface Row {
  readonly session_id: string | null
  readonly external_user_ref: string
}
interface Log {
  readonly status: Met["status"]
  readonly last_cursor: number
}

/**
 * Whether the update is a younger word on a chat than the one that its status was last decided by. Numbers tell for as
 * long as two of them may cross on their way, which is a day; after a week without any, Telegram goes on at a random
 * one, be it lower.
 */
const isYounger = (sql: Sql, updateId: number) =>
  sql`(status_update_id < ${updateId} or coalesce(status_update_at < now() - interval '3 days', true))`

/** Which session is held in which chat, and what people and bots are told apart from what is said. */
export class Conversations extends Context.Service<
  Conversations,
  {
    /**
     * The session of a chat; on first contact, or where another is wanted, a new one with its lane, from its greeting
     * on.
     */
    readonly meet: (meeting: Meeting) => Effect.Effect<Met, CharacterUnavailable | QuotaReached | DatabaseError>
    /** The session that is held there; null: none. */
    readonly sessionOf: (chat: ChatKey) => Effect.Effect<string | null, DatabaseError>
    /**
     * Word from the chat: by it the bot is welcome there again, unless younger word says otherwise. Its lanes go on,
     * and the app is told.
     */
    readonly revive: (
      chat: Pick<ChatKey, "appId" | "channelId" | "chatId">,
      updateId: number
    ) => Effect.Effect<void, DatabaseError>
    /**
     * The bot is not welcome any more, unless younger word from the chat says otherwise. The app is told of the
     * sessions that lose their chat.
     */
    readonly shut: (
      chat: Pick<ChatKey, "appId" | "channelId" | "chatId">,
      shut: { readonly status: "blocked" | "unreachable"; readonly reason: string; readonly updateId: number }
    ) => Effect.Effect<void, DatabaseError>
    /** Puts a line that is not the character's on the log, once for each key. */
    readonly notify: (
      appId: string,
      sessionId: string,
      notice: { readonly key: string; readonly kind: string; readonly text: string }
    ) => Effect.Effect<void, DatabaseError>
    /** Notes that a message of this chat, which has been handed in, reads otherwise by now. */
    readonly noteEdit: (chat: ChatKey, edit: Edit) => Effect.Effect<void, DatabaseError>
    /** No more messages of the character's own accord. */
    readonly quieten: (appId: string, sessionId: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/telegram/Conversations") {
  static readonly layer = Layer.effect(
    Conversations,
    Effect.gen(function* () {
      const { query, transaction, afterCommit } = yield* Database
      const sessions = yield* Sessions
      const relationships = yield* Relationships
      const signals = yield* LogSignals
      const services = yield* Effect.context<Database | LogSignals>()

      const bind = Effect.fnUntraced(function* (
        { appId, channelId, chatId, threadId }: ChatKey,
        old: string | null,
        sessionId: string,
        position: number,
        head: number
      ) {
        yield* Effect.all(
          [
            query(
              (sql) =>
                sql`delete from lanes where app_id = ${appId} and session_id = ${old} and channel_id = ${channelId}`
            ),
            query(
              (sql) => sql`
          with elsewhere as materialized (${chatOf(sql, { appId, channelId, sessionId })})
          update telegram_chats t set session_id = null from elsewhere e
          where t.app_id = e.app_id and t.channel_id = e.channel_id and t.chat_id = e.chat_id
            and t.thread_id = e.thread_id and (e.chat_id, e.thread_id) <> (${chatId}::bigint, ${threadId}::bigint)`
            ),
            query(
              (sql) => sql`
          update telegram_chats set session_id =
            ${sessionId}, status = 'active'
              where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId}`
            ),
            query(
              (sql) => sql`
          insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
          select app_id, ${sessionId}, channel_id, generation,
            ${position}::bigint, ${head}::bigint, ${position < head ? "ready" : "idle"} from channels
          where app_id = ${appId} and channel_id = ${channelId} and status <> 'deleted' on conflict do nothing`
            )
          ],
          TOGETHER
        )
      })

      /** The chat and its session, as most messages find them: in one step. Undefined: something is to be opened. */
      const meetAgain = Effect.fnUntraced(function* ({ appId, channelId, chatId, threadId, kind, session }: Meeting) {
        if (session !== "keep") return undefined
        const [there] = yield* query<Array<{ session_id: string; status: Met["status"]; last_cursor: number }>>(
          (sql) => sql`
        update telegram_chats c set last_in_at = now(), kind = ${kind} from session_logs l
        where c.app_id = ${appId} and c.channel_id =
          ${channelId} and c.chat_id = ${chatId}
            and c.thread_id = ${threadId} and l.app_id = c.app_id and l.session_id = c.session_id
        returning c.session_id, l.status, l.last_cursor`
        )
        return there === undefined
          ? undefined
          : { sessionId: there.session_id, status: there.status, created: false, spoken: there.last_cursor > 0 }
      })

      const meetAnew = Effect.fnUntraced(
        function* (meeting: Meeting) {
          const { appId, channelId, chatId, threadId, kind, externalUserRef, session } = meeting
          // Its row is locked from here on, so that two who meet there agree on a session: the log is looked at
          // afterwards.
          const [[row]] = yield* Effect.all(
            [
              query<Array<Row>>(
                (sql) => sql`
          insert into telegram_chats as c (app_id, channel_id, chat_id, thread_id, kind, external_user_ref, last_in_at)
          values (${appId}, ${channelId}, ${chatId}, ${threadId}, ${kind}, ${externalUserRef}, now())
          on conflict (app_id, channel_id, chat_id, thread_id) do update set last_in_at = excluded.last_in_at,
            kind = excluded.kind,
            external_user_ref = case when ${session === "join"} then excluded.external_user_ref
              else c.external_user_ref end
          returning c.session_id, c.external_user_ref`
              ),
              query(
                (sql) =>
                  sql`insert into telegram_paces (app_id, channel_id, chat_id)
                    values (${appId}, ${channelId}, ${chatId}) on conflict do nothing`
              )
            ],
            TOGETHER
          )
          const held = row?.session_id ?? null
          const [log] =
            held === null
              ? []
              : yield* query<Array<Log>>(
                  (sql) =>
                    sql`select status, last_cursor from session_logs where app_id = ${appId} and session_id = ${held}`
                )
          const there =
            held === null || log === undefined
              ? undefined
              : { sessionId: held, status: log.status, created: false, spoken: log.last_cursor > 0 }
          if (there !== undefined && (session === "keep" || (session === "renew" && there.status === "active")))
            return there
          const { session: opened, created } = yield* sessions.create(appId, {
            characterSlug: meeting.characterSlug,
            externalUserRef: session === "join" ? externalUserRef : (row?.external_user_ref ?? externalUserRef),
            proactiveControls: {},
            metadata: meeting.startPayload === null ? {} : { start_payload: meeting.startPayload },
            endUser: { display_name: meeting.displayName, locale: meeting.locale },
            newThread: session !== "join"
          })
          if (opened.session_id !== there?.sessionId) {
            yield* bind(
              meeting,
              there?.sessionId ?? null,
              opened.session_id,
              created ? 0 : opened.last_cursor,
              opened.last_cursor
            )
          }
          return { sessionId: opened.session_id, status: opened.status, created, spoken: opened.last_cursor > 0 }
        },
        transaction,
        Effect.tap(({ sessionId, created }) =>
          afterCommit(() => created && signals.announce([{ sessionId, cursor: 1 }], true))
        )
      )

      const meet = Effect.fnUntraced(function* (meeting: Meeting) {
        return (yield* meetAgain(meeting)) ?? (yield* meetAnew(meeting))
      })

      const reviveShut = Effect.fnUntraced(
        function* ({ appId, channelId, chatId }: Pick<ChatKey, "appId" | "channelId" | "chatId">, updateId: number) {
          const back = yield* query<Array<{ session_id: string | null }>>(
            (sql) => sql`
        update telegram_chats set status = 'active', reason = null,
          status_update_id = ${updateId}, status_update_at = now()
        where app_id = ${appId} and channel_id =
          ${channelId} and chat_id = ${chatId} and status in ('blocked', 'unreachable')
            and ${isYounger(sql, updateId)} returning session_id`
          )
          const ids = back.flatMap(({ session_id }) => session_id ?? [])
          if (ids.length === 0) return
          yield* query((sql) => scheduleProactiveChecks(sql, sql`select ${appId}::text, unnest(${ids}::text[])`))
          yield* query(
            (sql) => sql`
        update lanes set status = case when position < head then 'ready' else 'idle' end, due_at = now(),
          stale_before = now() - ${STALE_AFTER}::interval
        where app_id = ${appId} and channel_id =
          ${channelId} and session_id = any(${ids}::text[]) and status = 'parked'`
          )
          yield* query((sql) => sql`select graphile_worker.add_job('deliver', '{}'::json)`)
          for (const sessionId of ids)
            yield* appendOperational({
              appId,
              type: "chat.unblocked",
              payload: { channel_id: channelId, session_id: sessionId }
            })
        },
        transaction,
        Effect.provideContext(services)
      )
      // As a rule there is nothing to be done, and that is known in one step.
      const revive = Effect.fnUntraced(function* (
        chat: Pick<ChatKey, "appId" | "channelId" | "chatId">,
        updateId: number
      ) {
        const shut = yield* query(
          (sql) => sql`
        select 1 from telegram_chats where app_id =
          ${chat.appId} and channel_id =
            ${chat.channelId} and chat_id = ${chat.chatId} and status in ('blocked', 'unreachable') limit 1`
        )
        if (shut.length > 0) yield* reviveShut(chat, updateId)
      })

      const shut = Effect.fnUntraced(
        function* (
          { appId, channelId, chatId }: Pick<ChatKey, "appId" | "channelId" | "chatId">,
          {
            status,
            reason,
            updateId
          }: { readonly status: "blocked" | "unreachable"; readonly reason: string; readonly updateId: number }
        ) {
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
                  and u.update_id > ${updateId} and u.kind in ('text', 'command', 'callback', 'word', 'word_sent')
          ) returning session_id`
          )
          for (const { session_id } of lost)
            if (session_id !== null)
              yield* appendOperational({
                appId,
                type: `chat.${status}`,
                payload: { channel_id: channelId, session_id, reason }
              })
        },
        transaction,
        Effect.provideContext(services)
      )

      /** Once for each key. */
      const append = Effect.fnUntraced(
        function* (appId: string, sessionId: string, { key, type, role, payload }: Appended) {
          const rows = yield* query<Array<{ cursor: number }>>(
            (sql) => sql`
        with log as (
          select last_cursor from session_logs where app_id = ${appId} and session_id = ${sessionId} for no key update
        ), counted as (
          update session_logs l set last_cursor = l.last_cursor + 1 from log
          where l.app_id = ${appId} and l.session_id = ${sessionId} and not exists (
            select from events e where e.app_id =
              ${appId} and e.session_id = ${sessionId} and e.cursor > log.last_cursor - 100 and e.source_id = ${key}
          ) returning l.last_cursor
        )
        insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, source_id, payload)
        select ${appId}, ${sessionId}, last_cursor,
          ${newId("evt")}, ${type}, ${role},
            ${newId("run")}, 'telegram', ${key}, ${JSON.stringify(payload)}::text::json from counted
        returning cursor`
          )
          if (rows.length > 0) yield* query((sql) => moveHeads(sql, [appId], [sessionId]))
          return rows[0]?.cursor
        },
        transaction,
        (effect, _, sessionId) =>
          Effect.tap(effect, (cursor) =>
            afterCommit(() => cursor !== undefined && signals.announce([{ sessionId, cursor }], true))
          )
      )

      const noteEdit = Effect.fnUntraced(function* (
        { appId, channelId, chatId, threadId }: ChatKey,
        { updateId, messageId, text }: Edit
      ) {
        const [turn] = yield* query<Array<{ session_id: string; cursor: number }>>(
          (sql) => sql`
        with edited as materialized (
          select batch from telegram_updates
          where app_id = ${appId} and channel_id =
            ${channelId} and update_id between ${updateId - LOOKED_BACK} and ${updateId}
            and chat_id = ${chatId} and thread_id = ${threadId} and kind = 'text' and message_id = ${messageId} limit 1
        )
        select t.session_id, t.cursor from edited e
          join telegram_chats c on c.app_id =
            ${appId} and c.channel_id = ${channelId} and c.chat_id = ${chatId} and c.thread_id = ${threadId}
        join turns t on t.app_id = c.app_id and t.session_id = c.session_id
          and t.client_message_id = ${`tg:${channelId}:`} || e.batch`
        )
        if (turn === undefined) return
        yield* append(appId, turn.session_id, {
          key: `tg:${channelId}:${updateId}:${messageId}`,
          type: "message.edited",
          role: "user",
          payload: { text, message_cursor: turn.cursor }
        })
      })

      // The person's word is theirs, and outlasts what the app sets for the session.
      const quieten = Effect.fnUntraced(function* (appId: string, sessionId: string) {
        yield* query(
          (sql) => sql`
        update sessions set proactive_controls = proactive_controls || '{"proactive_enabled": false}'
          where app_id = ${appId} and session_id = ${sessionId}`
        )
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* relationships.amend({ appId, sessionId }, ({ bearing: { preferences } }) =>
          Effect.succeed({
            at,
            patch: preferences.opted_out
              ? EMPTY_PATCH
              : {
                  ...EMPTY_PATCH,
                  bearing: {
                    preferences: {
                      ...preferences,
                      opted_out: true,
                      field_sources: { ...preferences.field_sources, opted_out: "explicit" as const }
                    }
                  }
                }
          })
        )
      }, transaction)

      return Conversations.of({
        meet,
        sessionOf: ({ appId, channelId, chatId, threadId }) =>
          query<Array<{ session_id: string | null }>>(
            (sql) => sql`
        select session_id from telegram_chats
          where app_id = ${appId} and channel_id = ${channelId} and chat_id = ${chatId} and thread_id = ${threadId}`
          ).pipe(Effect.map(([row]) => row?.session_id ?? null)),
        revive,
        shut,
        notify: (appId, sessionId, { key, kind, text }) =>
          Effect.asVoid(
            append(appId, sessionId, { key, type: "channel.notice", role: "system", payload: { kind, text } })
          ),
        noteEdit,
        quieten
      })
    })
  )
}
