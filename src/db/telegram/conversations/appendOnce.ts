import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import type { MessengerEvent } from "#pipeline/domain/Event.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { announceAfterCommit } from "./announceAfterCommit.ts"

type Appended = MessengerEvent & { readonly key: string; readonly role: "system" | "user" }

/** Appends an event that belongs to no turn to the log, once per key. */
export const appendOnce = Effect.fnUntraced(
  function* (appId: string, sessionId: string, { key, type, role, payload }: Appended) {
    const { query } = yield* Database
    const rows = yield* query<Array<{ cursor: number }>>(
      (sql) => sql`
        with log as (
          select last_cursor from session_logs where app_id = ${appId} and session_id = ${sessionId} for no key update
        ), counted as (
          update session_logs l set last_cursor = l.last_cursor + 1,
            feed_position = ${nextFeedPosition(sql, sql`l.feed_position`)} from log
          where l.app_id = ${appId} and l.session_id = ${sessionId} and not exists (
            select from events e where e.app_id =
              ${appId} and e.session_id = ${sessionId} and e.cursor > log.last_cursor - 100 and e.source_id = ${key}
          ) returning l.last_cursor, l.feed_position
        )
        insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, source_id, payload,
          feed_position)
        select ${appId}, ${sessionId}, last_cursor,
          ${newId("evt")}, ${type}, ${role},
            ${newId("run")}, 'telegram', ${key}, ${JSON.stringify(payload)}::text::json, feed_position from counted
        returning cursor`
    )
    if (rows.length > 0) yield* query((sql) => advanceLaneHeads(sql, [appId], [sessionId]))
    return rows[0]?.cursor
  },
  inTransaction,
  (effect, appId, sessionId) =>
    Effect.tap(effect, (cursor) => (cursor === undefined ? Effect.void : announceAfterCommit(appId, sessionId, cursor)))
)
