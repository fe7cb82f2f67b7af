import * as Effect from "effect/Effect"
import { newId } from "#pipeline/domain/Id.ts"
import { advanceLaneHeads } from "#src/db/delivery/advanceLaneHeads.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { inTransaction } from "#src/db/postgres/inTransaction.ts"
import { announceAfterCommit } from "./announceAfterCommit.ts"

interface Appended {
  readonly key: string
  readonly type: "channel.notice" | "message.edited"
  readonly role: "system" | "user"
  readonly payload: object
}

/** Appends an event that belongs to no turn to the log, once per key. */
export const appendOnce = Effect.fnUntraced(
  function* (appId: string, sessionId: string, { key, type, role, payload }: Appended) {
    const { query } = yield* Database
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
    if (rows.length > 0) yield* query((sql) => advanceLaneHeads(sql, [appId], [sessionId]))
    return rows[0]?.cursor
  },
  inTransaction,
  (effect, _, sessionId) =>
    Effect.tap(effect, (cursor) => (cursor === undefined ? Effect.void : announceAfterCommit(sessionId, cursor)))
)
