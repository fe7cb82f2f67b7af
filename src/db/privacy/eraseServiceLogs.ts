import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { eraseSessions } from "./eraseSessions.ts"

/** Logs per transaction. */
const LOGS_PER_STEP = 100

/**
 * Deletes what bots have sent to a person where there was no session, in the caller's transaction. Chats are locked
 * before logs, as by those who reply there.
 */
export const eraseServiceLogsOf = Effect.fnUntraced(function* (appId: string, externalUserRef: string) {
  const { query } = yield* Database
  const chats = yield* query<Array<{ service_log_id: string | null }>>(
    (sql) => sql`
      select service_log_id from telegram_chats where app_id = ${appId} and external_user_ref = ${externalUserRef}
      order by channel_id, chat_id, thread_id for no key update`
  )
  const logs = chats.flatMap(({ service_log_id }) => service_log_id ?? [])
  if (logs.length > 0) yield* eraseSessions(appId, logs)
})

interface PastLog {
  readonly app_id: string
  readonly channel_id: string
  readonly chat_id: number
  readonly thread_id: number
  readonly log_id: string
}

/** Deletes the next few logs that are past, and chats that there were only for them. Returns how many. */
const dropSome = Effect.fnUntraced(function* (age: string) {
  const { query, transaction } = yield* Database
  return yield* transaction(
    Effect.gen(function* () {
      const past = yield* query<Array<PastLog>>(
        (sql) => sql`
          select c.app_id, c.channel_id, c.chat_id, c.thread_id, c.service_log_id as log_id from telegram_chats c
          where c.service_log_id is not null
            and not exists (select from events e where e.app_id = c.app_id and e.session_id = c.service_log_id
              and e.created_at > now() - ${age}::interval)
            and not (c.status = 'active' and exists (select from lanes l where l.app_id = c.app_id
              and l.session_id = c.service_log_id and l.channel_id = c.channel_id and l.position < l.head))
          order by c.app_id, c.channel_id, c.chat_id, c.thread_id limit ${LOGS_PER_STEP}::int
          for no key update of c skip locked`
      )
      for (const [appId, logs] of Map.groupBy(past, (log) => log.app_id))
        yield* eraseSessions(
          appId,
          logs.map((log) => log.log_id)
        )
      yield* query(
        (sql) => sql`
          with gone as (
            delete from telegram_chats c using unnest(${past.map((log) => log.app_id)}::text[],
              ${past.map((log) => log.channel_id)}::text[], ${past.map((log) => log.chat_id)}::bigint[],
              ${past.map((log) => log.thread_id)}::bigint[]) as p(app_id, channel_id, chat_id, thread_id)
            where c.app_id = p.app_id and c.channel_id = p.channel_id and c.chat_id = p.chat_id
              and c.thread_id = p.thread_id and c.session_id is null
              and not exists (select from end_users u where u.app_id = c.app_id
                and u.external_user_ref = c.external_user_ref)
            returning c.app_id, c.channel_id, c.chat_id
          )
          delete from telegram_paces p using gone g where p.app_id = g.app_id and p.channel_id = g.channel_id
            and p.chat_id = g.chat_id`
      )
      return past.length
    })
  )
})

/**
 * Deletes service logs whose last reply is older than this, and has been sent. What waits for a suspended bot stays; a
 * chat that cannot be reached gets nothing that old anyway. A person of whom nothing else is stored leaves no chat.
 */
export const dropServiceLogs = (age: string) =>
  Effect.repeat(dropSome(age), { until: (count) => count < LOGS_PER_STEP })
