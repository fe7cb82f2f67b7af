import { countCrashes } from "#src/db/crashes/countCrash.ts"
import type { ReleaseUnits } from "#src/db/crashes/HeldUnits.ts"
import { beginsAgain } from "#src/db/crashes/waitApart.ts"
import { Database } from "#src/db/postgres/Database.ts"

/**
 * The try of a case that a worker has stopped is given back. One at which it died counts, and its run waits. A run that
 * was between its cases, or was being summed up, counts a crash itself.
 */
export const releaseEvals: ReleaseUnits = ({ crashed, stopped }) =>
  Database.use(({ query }) =>
    query(
      (sql) => sql`
      with held as materialized (
        select app_id, run_id, owner, owner = any(${[...crashed]}::text[]) as crashed from eval_runs
        where finished_at is null and owner = any(${[...crashed, ...stopped]}::text[])
        order by app_id, run_id for no key update
      ), cases as (
        update eval_results r set owner = null, attempts = r.attempts - (not h.crashed)::int from held h
        where r.app_id = h.app_id and r.run_id = h.run_id and r.owner = h.owner and r.status is null
        returning r.app_id, r.run_id, r.attempts
      ), begun as (
        select app_id, run_id, max(attempts) as crashes from cases group by app_id, run_id
      ), counted as (
        ${countCrashes(
          sql,
          "eval",
          sql`select app_id, run_id as unit from held h where crashed
            and not exists (select from begun b where b.app_id = h.app_id and b.run_id = h.run_id)`
        )}
      ), released as (
        update eval_runs q set owner = null,
          retry_at = case when h.crashed then ${beginsAgain(sql, sql`coalesce(b.crashes, c.crashes)`)} end
        from held h left join begun b on b.app_id = h.app_id and b.run_id = h.run_id
          left join counted c on c.app_id = h.app_id and c.unit = h.run_id
        where q.app_id = h.app_id and q.run_id = h.run_id returning q.retry_at
      )
      select graphile_worker.add_job('evals', '{}'::json, run_at := d.retry_at)
      from (select distinct retry_at from released) d`
    )
  )
