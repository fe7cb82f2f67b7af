import * as Effect from "effect/Effect"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { Database, MAX_TOGETHER } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { announceAfterCommit } from "./announceAfterCommit.ts"
import { bindChat } from "./bindChat.ts"
import type { ChatOpening, OpenedChat } from "./ChatOpening.ts"

interface Row {
  readonly session_id: string | null
  readonly external_user_ref: string
}
interface Log {
  readonly status: OpenedChat["status"]
  readonly last_cursor: number
}

/**
 * The chat and its session in one query, which is sufficient for most messages. Undefined: something has to be created.
 */
const reopenChat = Effect.fnUntraced(function* ({
  appId,
  channelId,
  chatId,
  threadId,
  kind,
  language,
  session
}: ChatOpening) {
  const { query } = yield* Database
  if (session !== "keep") return undefined
  const [there] = yield* query<Array<{ session_id: string; status: OpenedChat["status"]; last_cursor: number }>>(
    (sql) => sql`
        update telegram_chats c set last_in_at = now(), kind = ${kind},
          language_code = coalesce(${language}, c.language_code)
        from session_logs l
        where c.app_id = ${appId} and c.channel_id =
          ${channelId} and c.chat_id = ${chatId}
            and c.thread_id = ${threadId} and l.app_id = c.app_id and l.session_id = c.session_id
        returning l.session_id, l.status, l.last_cursor`
  )
  return there === undefined
    ? undefined
    : { sessionId: there.session_id, status: there.status, created: false, spoken: there.last_cursor > 0 }
})

const startChat = Effect.fnUntraced(
  function* (meeting: ChatOpening) {
    const [{ query }, sessions] = [yield* Database, yield* Sessions]
    const { appId, channelId, chatId, threadId, kind, externalUserRef, language, session } = meeting
    // Locks the row, so that two concurrent callers get the same session. The log is read after the lock is taken.
    const [[row]] = yield* Effect.all(
      [
        query<Array<Row>>(
          (sql) => sql`
          insert into telegram_chats as c (app_id, channel_id, chat_id, thread_id, kind, external_user_ref, last_in_at,
            language_code)
          values (${appId}, ${channelId}, ${chatId}, ${threadId}, ${kind}, ${externalUserRef}, now(), ${language})
          on conflict (app_id, channel_id, chat_id, thread_id) do update set last_in_at = excluded.last_in_at,
            kind = excluded.kind, language_code = coalesce(excluded.language_code, c.language_code),
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
      MAX_TOGETHER
    )
    const held = row?.session_id ?? null
    const [log] =
      held === null
        ? []
        : yield* query<Array<Log>>(
            (sql) => sql`select status, last_cursor from session_logs where app_id = ${appId} and session_id = ${held}`
          )
    const there =
      held === null || log === undefined
        ? undefined
        : { sessionId: held, status: log.status, created: false, spoken: log.last_cursor > 0 }
    if (there !== undefined && (session === "keep" || (session === "renew" && there.status === "active"))) return there
    const { session: opened, created } = yield* sessions.create(appId, {
      characterSlug: meeting.characterSlug,
      externalUserRef: session === "join" ? externalUserRef : (row?.external_user_ref ?? externalUserRef),
      proactiveControls: {},
      metadata: meeting.startPayload === null ? {} : { start_payload: meeting.startPayload },
      endUser: { display_name: meeting.displayName, locale: meeting.locale },
      newThread: session !== "join",
      startsOver: session === "new"
    })
    if (opened.session_id !== there?.sessionId) {
      yield* bindChat(
        meeting,
        there?.sessionId ?? null,
        opened.session_id,
        created ? 0 : opened.last_cursor,
        opened.last_cursor
      )
    }
    return { sessionId: opened.session_id, status: opened.status, created, spoken: opened.last_cursor > 0 }
  },
  inTransaction,
  (effect, { appId }) =>
    Effect.tap(effect, ({ sessionId, created }) => (created ? announceAfterCommit(appId, sessionId, 1) : Effect.void))
)

/**
 * The session of a chat. On first contact, or if a new one is requested, opens one with its lane, which starts at the
 * greeting.
 */
export const openChat = Effect.fnUntraced(function* (meeting: ChatOpening) {
  return (yield* reopenChat(meeting)) ?? (yield* startChat(meeting))
})
