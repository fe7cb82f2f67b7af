import * as Effect from "effect/Effect"
import { countCrashes } from "#src/db/crashes/countCrash.ts"
import type { ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { CRASH_LIMIT } from "#src/units/attempt.ts"

/**
 * Forgets the crashes of deliveries that were tried since, and whose try has ended without one. A receiver that is slow
 * or away keeps an event at the head of its lane for days, and processes die beside it for other reasons.
 */
const forgetEnded = (sql: Sql) => sql`
  delete from crashed_units c where kind = 'delivery' and crashes < ${CRASH_LIMIT}::int
    and exists (select from delivery_attempts a where a.app_id = c.app_id
      and a.session_id = split_part(c.unit, ' ', 2) and a.channel_id = split_part(c.unit, ' ', 1)
      and a.cursor = split_part(c.unit, ' ', 3)::bigint and a.started_at > c.last_at
      and a.error_code is distinct from 'interrupted')`

/**
 * Requests a courier for the lanes of these workers. Each lane was at one event: the one that it meant to send, or else
 * its next one, which was being opened. After a crash the lane waits for the time at which that event may be begun
 * again; `planned_at` keeps its endpoint's next success from ending the wait.
 */
export const releaseLanes: ReleaseUnits = ({ crashed, stopped }) =>
  Database.use(({ query }) =>
    Effect.andThen(
      query(forgetEnded),
      query(
        (sql) => sql`
      with held as materialized (
        select app_id, session_id, channel_id, position, redo, sending, status,
          owner = any(${[...crashed]}::text[]) as crashed
        from lanes where owner = any(${[...crashed, ...stopped]}::text[])
        order by app_id, session_id, channel_id for no key update
      ), tried as materialized (
        select h.app_id, h.session_id, h.channel_id,
          h.channel_id || ' ' || h.session_id || ' ' || coalesce(h.sending, h.redo[1], n.cursor) as unit
        from held h left join lateral (
          select e.cursor from channels c join events e on e.app_id = c.app_id
          where c.app_id = h.app_id and c.channel_id = h.channel_id and e.session_id = h.session_id
            and e.cursor > h.position and (c.events is null or e.type = any(c.events))
          order by e.cursor limit 1
        ) n on true
        where h.crashed
      ), counted as (
        ${countCrashes(sql, "delivery", sql`select app_id, unit from tried where unit is not null`)}
      ), due as (
        select h.app_id, h.session_id, h.channel_id,
          case when h.status = 'ready' and c.crashes > 1 then ${beginsAgain(sql, sql`c.crashes`)} end as at
        from held h left join tried t using (app_id, session_id, channel_id)
          left join counted c on c.app_id = t.app_id and c.unit = t.unit
      ), released as (
        update lanes l set owner = null, status = case when d.at is null then l.status else 'waiting' end,
          due_at = coalesce(d.at, l.due_at), planned_at = coalesce(d.at, l.planned_at)
        from due d
        where l.app_id = d.app_id and l.session_id = d.session_id and l.channel_id = d.channel_id
        returning date_trunc('second', d.at) + interval '1 second' as wake_at
      )
      select graphile_worker.add_job('deliver', '{}'::json, run_at := r.wake_at)
      from (select distinct wake_at from released) r`
      )
    )
  )
