import { GATE_NAMES } from "#pipeline/proactive/gates.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { OVERTAKEN } from "#src/db/conversation/settleStatements.ts"

/** A turn that was withheld for one of these reasons has sent nothing, so its message may still be sent. */
const RETRIED: ReadonlyArray<string> = [...GATE_NAMES, OVERTAKEN]

/** Whether a scheduled message `m`, whose last turn is `t`, is still to be sent. */
export const openSchedule = (sql: Sql) => sql`(
  m.cancelled_at is null and (m.turn_index is null or (t.outcome = 'withheld'
    and t.failure_reason = any(${RETRIED}::text[])))
)`

/** The open scheduled messages of a session `s`, earliest first, as JSON. */
export const scheduledOf = (sql: Sql) => sql`
  coalesce((
    select json_agg(json_build_object('id', m.scheduled_id, 'text', m.text, 'topic', m.topic,
      'at', floor(extract(epoch from m.at) * 1000), 'until', floor(extract(epoch from m.until) * 1000)) order by m.at,
        m.scheduled_id)
    from scheduled_messages m left join turns t using (app_id, session_id, turn_index)
    where m.app_id = s.app_id and m.session_id = s.session_id and ${openSchedule(sql)} and m.until > now()
  ), '[]')`

/** Stores the turn that was begun for a scheduled message. */
export const beginScheduled = (sql: Sql, { appId, sessionId }: SessionRef, id: string, turnIndex: number) => sql`
  update scheduled_messages set turn_index = ${turnIndex}::int
  where app_id = ${appId} and session_id = ${sessionId} and scheduled_id = ${id}`
