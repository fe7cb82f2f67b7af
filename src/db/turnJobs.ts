import type postgres from "postgres"
import type { Sql } from "./Database.ts"

/**
 * Sessions that one job wakes. Jobs are the dearest part of an accept, and a job is only a wake-up, so a batch shares them;
 * few enough to a job that the work of a batch still spreads over processes.
 */
const SESSIONS_A_JOB = 8

/** An expression that adds jobs for all (app_id, session_id) that a query gives, and counts them. */
export const addTurnJobs = (sql: Sql, sessions: postgres.PendingQuery<postgres.Row[]>) => sql`(
  select count(*) from graphile_worker.add_jobs(array(
    select ('turn', json_build_object('sessions', json_agg(json_build_array(app_id, session_id))), null, null, null, null, null, null)::graphile_worker.job_spec
    from (select app_id, session_id, (row_number() over () - 1) / ${SESSIONS_A_JOB}::int as job from (${sessions}) s) s group by job
  ))
)`
