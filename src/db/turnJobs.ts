import type postgres from "postgres"
import type { Sql } from "./Database.ts"

/**
 * Sessions that one job wakes. Jobs are the dearest part of an accept, and a job is only a wake-up, so a batch shares them;
 * few enough to a job that the work of a batch still spreads over processes.
 */
const SESSIONS_A_JOB = 8

/** Who waits for an answer goes before what was answered. */
const PRIORITY = { turn: 0, relate: 10 } as const

const addJobs = (sql: Sql, task: keyof typeof PRIORITY, sessions: postgres.PendingQuery<postgres.Row[]>, afterMs = 0) => sql`(
  select count(*) from graphile_worker.add_jobs(array(
    select (${task}::text, json_build_object('sessions', json_agg(json_build_array(app_id, session_id))), null, ${afterMs === 0 ? sql`null` : sql`now() + ${afterMs} * interval '1 millisecond'`}, null, null, ${PRIORITY[task]}, null)::graphile_worker.job_spec
    from (select app_id, session_id, (row_number() over () - 1) / ${SESSIONS_A_JOB}::int as job from (${sessions}) s) s group by job
  ))
)`

/** An expression that adds jobs to answer turns of all (app_id, session_id) that a query gives, and counts them. */
export const addTurnJobs = (sql: Sql, sessions: postgres.PendingQuery<postgres.Row[]>) => addJobs(sql, "turn", sessions)

/** An expression that adds jobs to read what has been answered in these sessions, now or later, and counts them. */
export const addReadingJobs = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>, afterMs?: number) =>
  addJobs(sql, "relate", sql`select * from unnest(${apps}::text[], ${sessions}::text[]) as s(app_id, session_id)`, afterMs)
