import { waitApart } from "#src/db/crashes/waitApart.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { CRASH_LIMIT } from "#src/units/attempt.ts"
import { addReadingJobsAt } from "./turnJobs.ts"

/** Every process reads twice a second which readings are given up. After this time all of them know. */
const KNOWN_AFTER = "2 seconds"

/** The reading jobs that these pools of graphile-worker have locked. */
export const readingJobsOf = (sql: Sql, pools: ReadonlyArray<string>) => sql`
  select id::text from graphile_worker.jobs where task_identifier = 'relate' and locked_by = any(${pools}::text[])`

/**
 * Counts a crash for the next unread turn of each session in these jobs, and replaces the jobs by one for each session.
 * Their process died, and it is unknown which reading was the cause. So, as with turns, all start again at once after
 * the first crash, and at different times after later ones. The jobs must be unlocked.
 */
export const readAgain = (sql: Sql, jobs: ReadonlyArray<string>) => sql`
  with orphans as materialized (
    select distinct named ->> 0 as app_id, named ->> 1 as session_id
    from graphile_worker.complete_jobs(${jobs}::text[]::bigint[]) j
      cross join json_array_elements(j.payload -> 'sessions') named
  ), unread as (
    select o.app_id, o.session_id, o.session_id || ' ' || t.turn_index as unit
    from orphans o cross join lateral (
      select turn_index, outcome, settled_at from turns t where t.app_id = o.app_id and t.session_id = o.session_id
        and t.turn_index > coalesce((select r.read_turn from relationships r where r.app_id = o.app_id
          and r.session_id = o.session_id), 0)
      order by turn_index limit 1
    ) t
    where t.outcome is not null and t.settled_at is not null
  ), counted as (
    insert into crashed_units as c (app_id, kind, unit)
    select app_id, 'reading', unit from unread order by app_id, unit
    on conflict (app_id, kind, unit) do update set crashes = c.crashes + 1, last_at = now()
    returning app_id, unit, crashes
  )
  select ${addReadingJobsAt(
    sql,
    sql`
    select o.app_id, o.session_id, case when c.crashes >= ${CRASH_LIMIT}::int then now() + ${KNOWN_AFTER}::interval
      when c.crashes > 1 then now() + ${waitApart(sql, sql`(c.crashes - 1)`)} end as run_at
    from orphans o left join unread u using (app_id, session_id)
      left join counted c on c.app_id = u.app_id and c.unit = u.unit`
  )}`
