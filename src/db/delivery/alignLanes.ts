import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"

/** Sessions per step. Their logs are locked for the duration of the step. */
const SESSIONS_PER_STEP = 500

/**
 * Updates the lanes of a channel to its generation, in order of session id: the next few after `aligned_to`. The logs
 * are first locked in share mode, so that no append is in progress whose head the lane would miss. An outdated lane
 * gets a new fence, so a courier with the old one can no longer write. The transaction must hold the lock on the
 * channel's row. Returns the sessions of the step. If there are none, the channel is aligned.
 */
export const alignLanes = Effect.fnUntraced(function* (appId: string, channelId: string) {
  const { query } = yield* Database
  const scope = yield* query<Array<{ session_id: string }>>(
    (sql) => sql`
    with channel as (
      select * from channels where app_id = ${appId} and channel_id = ${channelId} and aligned_to is not null
    ), wanted as (
      (select l.session_id from channel c join session_logs l on l.app_id = c.app_id and l.session_id > c.aligned_to
        where c.covers = 'app' and l.status = 'active' order by l.session_id limit ${SESSIONS_PER_STEP}::int)
      union
      (select l.session_id from channel c join lanes l on l.app_id = c.app_id and l.channel_id = c.channel_id
        and l.session_id > c.aligned_to
        order by l.session_id limit ${SESSIONS_PER_STEP}::int)
      union
      select session_id from channel where covers = 'session' and session_id > aligned_to
    )
    select l.session_id from wanted w join session_logs l on l.app_id = ${appId} and l.session_id = w.session_id
    order by l.session_id limit ${SESSIONS_PER_STEP}::int for share of l`
  )
  const sessions = scope.map((row) => row.session_id)
  yield* query(
    (sql) => sql`
    with channel as (
      select * from channels where app_id = ${appId} and channel_id = ${channelId}
    ), scope as (
      select l.app_id, l.session_id, l.last_cursor as head, coalesce(c.rewind_to, (
        select e.cursor from events e where e.app_id = l.app_id and e.session_id = l.session_id
          and e.created_at <= c.created_at order by e.cursor desc limit 1
      ), 0) as position
      from session_logs l, channel c where l.app_id = c.app_id and l.session_id = any(${sessions}::text[])
    ), aligned as (
      insert into lanes as l (app_id, session_id, channel_id, generation, position, head, status)
      select s.app_id, s.session_id, c.channel_id, c.generation, least(s.position, s.head), s.head, case
        when s.position < s.head then 'ready' else 'idle' end
      from scope s, channel c
      on conflict (app_id, session_id, channel_id) do update set generation = excluded.generation, fence = l.fence + 1,
        owner = null, failures = 0, planned_at = null, due_at = now(),
        position = least(coalesce((select rewind_to from channel), l.position), l.head), part = case
          when (select rewind_to from channel) is null then l.part else 0 end,
        status = case when coalesce((select rewind_to from channel), l.position) < l.head or l.redo <> '{}'
          then 'ready' else 'idle' end
      where l.generation < excluded.generation
    )
    update channels set aligned_to = ${sessions.at(-1) ?? null} where app_id = ${appId} and channel_id = ${channelId}`
  )
  return sessions
})

/**
 * Creates a lane to each app-wide channel for a new session. The transaction must lock the app's row in share mode, so
 * that a channel that is created at the same time sees the session, or is seen here.
 */
export const openLanes = Effect.fnUntraced(function* (appId: string, sessionId: string) {
  const { query } = yield* Database
  yield* query(
    (sql) => sql`
    insert into lanes (app_id, session_id, channel_id, generation, position, head, status)
    select app_id, ${sessionId}, channel_id, generation, 0, 0, 'idle' from channels
    where app_id = ${appId} and covers = 'app' and status <> 'deleted'`
  )
})
