import * as Effect from "effect/Effect"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import type { AlertNews, OperationalNews } from "#channels/OperationalLog.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { openLanes } from "./alignLanes.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { advanceLaneHeads } from "./advanceLaneHeads.ts"

/**
 * Creates the operational log of an app, with its lanes, if it does not exist yet. Runs in the caller's transaction.
 */
export const beginOperational = Effect.fnUntraced(function* (appId: string) {
  const { query } = yield* Database
  yield* query((sql) => sql`select 1 from apps where app_id = ${appId} for share`)
  const made = yield* query(
    (sql) =>
      sql`insert into session_logs (app_id, session_id) values (${appId}, ${appId}) on conflict do nothing returning 1`
  )
  if (made.length > 0) yield* openLanes(appId, appId)
})

/**
 * Appends an operational event in the caller's transaction, so the app is notified exactly once and only if it commits.
 * Must be the last step of a transaction, because until its end nothing else can write to the app's log.
 */
export const appendOperational = Effect.fnUntraced(function* ({
  appId,
  type,
  payload
}: { readonly appId: string } & (OperationalNews | AlertNews)) {
  const [{ query, afterCommit }, signals] = [yield* Database, yield* LogSignals]
  const write = query<Array<{ cursor: number }>>(
    (sql) => sql`
    with counted as (
      update session_logs set last_cursor = last_cursor + 1,
        feed_position = ${nextFeedPosition(sql, sql`feed_position`)}
      where app_id = ${appId} and session_id = ${appId} returning last_cursor, feed_position
    )
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, feed_position)
    select ${appId}, ${appId}, last_cursor,
      ${newId("evt")}, ${type}, 'system', ${newId("run")}, 'system', ${JSON.stringify(payload)}::text::json,
      feed_position from counted returning cursor`
  )
  let rows = yield* write
  if (rows.length === 0) {
    yield* beginOperational(appId)
    rows = yield* write
  }
  const moved = yield* query((sql) => advanceLaneHeads(sql, [appId], [appId]))
  yield* afterCommit(() =>
    signals.announce([{ appId, sessionId: appId, cursor: rows[0]?.cursor ?? 0 }], moved.length > 0)
  )
})
