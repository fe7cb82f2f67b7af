import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * Sessions per job. Jobs are the most expensive part of an accept, and a job is only a wake-up, so a batch shares them.
 * Few enough that the work of a batch still spreads over processes.
 */
const SESSIONS_PER_JOB = 8

/** Waiting turns have priority over extraction. */
const PRIORITY = { turn: 0, relate: 10 } as const

/** Postponed sessions per job. They may be postponed repeatedly. */
const POSTPONED_A_JOB = 64
const POSTPONE_MS = 1000

const addJobs = (
  sql: Sql,
  task: keyof typeof PRIORITY,
  sessions: postgres.PendingQuery<postgres.Row[]>,
  afterMs = 0,
  sessionsAJob = SESSIONS_PER_JOB
) => sql`(
  select count(*) from graphile_worker.add_jobs(array(
    select (${task}::text, json_build_object('sessions', json_agg(json_build_array(app_id, session_id))), null,
      ${
        afterMs === 0
          ? sql`null`
          : sql`now() +
        ${afterMs} * interval '1 millisecond'`
      }, null, null, ${PRIORITY[task]}, null)::graphile_worker.job_spec
    from (select app_id, session_id,
      (row_number() over () - 1) / ${sessionsAJob}::int as job from (${sessions}) s) s group by job
  ))
)`

/** An expression that adds jobs to answer turns of all (app_id, session_id) that a query returns, and counts them. */
export const addTurnJobs = (sql: Sql, sessions: postgres.PendingQuery<postgres.Row[]>) => addJobs(sql, "turn", sessions)

const named = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) =>
  sql`select distinct * from unnest(${apps}::text[], ${sessions}::text[]) as s(app_id, session_id)`

/** An expression that adds extraction jobs for these sessions, and counts them. */
export const addExtractionJobs = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) =>
  addJobs(sql, "relate", named(sql, apps, sessions))

/** The same with a delay. */
export const postponeTurns = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) =>
  addJobs(sql, "turn", named(sql, apps, sessions), POSTPONE_MS, POSTPONED_A_JOB)
export const postponeExtractions = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) =>
  addJobs(sql, "relate", named(sql, apps, sessions), POSTPONE_MS, POSTPONED_A_JOB)

/**
 * An expression that adds a job for each (app_id, session_id, run_at) that a query gives, to read what has been
 * answered there, and counts them.
 */
export const addReadingJobsAt = (sql: Sql, sessions: postgres.PendingQuery<postgres.Row[]>) => sql`(
  select count(*) from graphile_worker.add_jobs(array(
    select ('relate', json_build_object('sessions', json_build_array(json_build_array(app_id, session_id))), null,
      run_at, null, null, ${PRIORITY.relate}::int, null)::graphile_worker.job_spec
    from (${sessions}) s
  ))
)`
