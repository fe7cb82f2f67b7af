import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * The second half of every append, in the same transaction: moves the heads of the sessions' lanes to the end of the
 * log and makes idle lanes ready. Lanes are locked in key order, as everywhere. Returns a row for each lane that now
 * has something to deliver.
 */
export const advanceLaneHeads = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) => sql`
  with mine as (
    select app_id, session_id, channel_id from lanes
    where (app_id, session_id) in (select * from unnest(${apps}::text[], ${sessions}::text[]))
    order by app_id, session_id, channel_id for no key update
  )
  update lanes l set head = s.last_cursor,
    status = case l.status when 'idle' then 'ready' else l.status end,
    due_at = case l.status when 'idle' then now() else l.due_at end
  from mine m join session_logs s using (app_id, session_id)
  where l.app_id = m.app_id and l.session_id = m.session_id and l.channel_id = m.channel_id and l.head < s.last_cursor
  returning l.session_id`
