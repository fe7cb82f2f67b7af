import * as Effect from "effect/Effect"
import type { Payload } from "#pipeline/domain/Event.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { lockAllowances } from "#src/db/billing/moneyStatements.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { settleEndedSessions } from "./settleEndedSessions.ts"

interface LogRow {
  readonly session_id: string
  readonly last_cursor: number
}

/**
 * Ends those of an app's sessions that are active, in the caller's transaction. Each gets a `session.exited`. Returns
 * what to announce after the commit.
 */
export const endSessions = Effect.fnUntraced(function* (appId: string, all: ReadonlyArray<string>, reason: string) {
  const { query } = yield* Database
  const exited: Payload<"session.exited"> = { reason_code: reason }
  yield* query((sql) =>
    lockAllowances(
      sql,
      all.map(() => appId),
      all
    )
  )
  const active = yield* query<Array<{ session_id: string }>>(
    (sql) => sql`
        select l.session_id from session_logs l
        where l.app_id = ${appId} and l.status = 'active' and l.session_id = any(${[...all]}::text[])
        order by l.session_id for no key update`
  )
  const sessions = active.map((row) => row.session_id)
  const ended = yield* query<Array<LogRow>>(
    (sql) => sql`
        with ended as (
          update session_logs set status = 'exited', exited_at = now(),
            exit_reason = ${reason}, last_cursor = last_cursor + 1,
            feed_position = ${nextFeedPosition(sql, sql`feed_position`)}
          where app_id = ${appId} and session_id = any(${sessions}::text[]) returning session_id, last_cursor,
            feed_position
        ), said as (
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload,
            feed_position)
          select ${appId}, session_id, last_cursor, ids.event_id, 'session.exited', 'system', ids.run_ref, 'system',
            ${JSON.stringify(exited)}::text::json, feed_position
          from ended join unnest(${sessions}::text[],
            ${sessions.map(() => newId("evt"))}::text[],
              ${sessions.map(() => newId("run"))}::text[]) as ids(session_id, event_id, run_ref) using (session_id)
        )
        select session_id, last_cursor from ended`
  )
  yield* query((sql) =>
    settleEndedSessions(
      sql,
      sessions.map(() => appId),
      sessions
    )
  )
  yield* query((sql) =>
    advanceLaneHeads(
      sql,
      sessions.map(() => appId),
      sessions
    )
  )
  return ended.map((row) => ({ appId, sessionId: row.session_id, cursor: row.last_cursor }))
})
