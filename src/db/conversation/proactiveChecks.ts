import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"
import type { SessionRef } from "./Turns.ts"

/**
 * Schedules proactive checks now for all sessions (app_id, session_id) of a query that are checked at all. Locks them
 * in key order, as everywhere, and looks each up by its key (`offset 0`), however many are waiting.
 */
export const scheduleProactiveChecks = (sql: Sql, sessions: postgres.PendingQuery<postgres.Row[]>) => sql`
  with wanted as materialized (
    select * from (${sessions}) s(app_id, session_id) order by app_id, session_id
  ), mine as (
    select r.* from wanted w cross join lateral (
      select app_id, session_id from relationships r where r.app_id = w.app_id and r.session_id = w.session_id
        and r.initiate_at > now() offset 0 for no key update
    ) r
  )
  update relationships r set initiate_at = now() from mine m where r.app_id = m.app_id and r.session_id = m.session_id`

/** Schedules the proactive check of a session now, because something has changed. */
export const scheduleProactiveCheck = (sql: Sql, { appId, sessionId }: SessionRef) => sql`
  insert into relationships (app_id, session_id, initiate_at) values (${appId}, ${sessionId}, now())
  on conflict (app_id, session_id) do update set initiate_at = now()`
