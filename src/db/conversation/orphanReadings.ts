import { countCrashes } from "#src/db/crashes/countCrash.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { addReadingJobsAt } from "./turnJobs.ts"

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
    ${countCrashes(sql, "reading", sql`select app_id, unit from unread`)}
  )
  select ${addReadingJobsAt(
    sql,
    sql`
    select o.app_id, o.session_id, ${beginsAgain(sql, sql`c.crashes`)} as run_at
    from orphans o left join unread u using (app_id, session_id)
      left join counted c on c.app_id = u.app_id and c.unit = u.unit`
  )}`
