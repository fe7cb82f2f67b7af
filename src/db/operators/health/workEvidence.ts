import * as Effect from "effect/Effect"
import type { JobEvidence, ModelEvidence, QueueEvidence, WorkerEvidence } from "#src/health/Evidence.ts"
import { AFTER_MS } from "#src/health/limits.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"
import { MOST, ofApp } from "./scope.ts"

/** Up to this many open turns and jobs are looked at. */
const OPEN = 20_000

/** Apps with sessions whose next turn is due and has no worker. Open turns are found through their own index. */
export const queueEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<{ app_id: string; waiting: number; oldest_due_at: Date | null }>>(
      (sql) => sql`
      select app_id, count(*)::int as waiting, min(due_at) as oldest_due_at from (
        select distinct on (app_id, session_id) app_id, owner, due_at from (
          select app_id, session_id, turn_index, owner, due_at from turns
          where outcome is null and ${isNotShadow(sql)} ${ofApp(sql, sql`app_id`, appId)}
          order by app_id, session_id, turn_index limit ${OPEN}::int
        ) open order by app_id, session_id, turn_index
      ) t
      where owner is null and due_at <= now() and not (${isSuspended(sql, sql`app_id`)})
      group by app_id order by 3 limit ${MOST}::int`
    )
  ).pipe(
    Effect.map((rows): ReadonlyArray<QueueEvidence> =>
      rows.map(({ app_id, waiting, oldest_due_at }) => ({ app_id, waiting, oldest_due_at: oldest_due_at! }))
    )
  )

/** The processes that run turns, those that have been silent the longest first. */
export const workerEvidence = Database.use(({ query }) =>
  query<Array<WorkerEvidence>>(
    (sql) => sql`
    select worker_id, started_at, heartbeat_at from workers order by heartbeat_at limit ${MOST}::int`
  )
)

/** Jobs by kind: how many are due, have failed for good, and have been held for long. */
export const jobEvidence = Database.use(({ query }) =>
  query<Array<JobEvidence>>(
    (sql) => sql`
    select task_identifier as task,
      count(*) filter (where is_due)::int as due, min(run_at) filter (where is_due) as oldest_due_at,
      count(*) filter (where has_failed)::int as failed, min(updated_at) filter (where has_failed) as failed_at,
      left((array_agg(last_error) filter (where has_failed))[1], 300) as last_error,
      count(*) filter (where is_held)::int as locked, min(locked_at) filter (where is_held) as oldest_locked_at
    from (
      select task_identifier, run_at, updated_at, locked_at, last_error,
        locked_at is null and attempts < max_attempts and run_at <= now() as is_due,
        locked_at is null and attempts >= max_attempts as has_failed,
        locked_at < now() - ${AFTER_MS.jobLocked}::int * interval '1 millisecond' as is_held
      from graphile_worker.jobs limit ${OPEN}::int
    ) j
    group by 1 order by 1`
  )
)

/** Attempts at replies in the last five minutes, read from the end of the table. */
export const modelEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<ModelEvidence>>(
      (sql) => sql`
      with written as materialized (
        select status, started_at, error_code from turn_stages
        where started_at >= now() - interval '5 minutes' and stage = 'generation' and status <> 'skipped'
          ${ofApp(sql, sql`app_id`, appId)}
      ), ok as (select max(started_at) as at from written where status = 'ok')
      select count(*)::int as attempts, count(*) filter (where w.status <> 'ok')::int as failures,
        (select at from ok) as last_ok_at,
        min(w.started_at) filter (where w.status <> 'ok'
          and w.started_at > coalesce((select at from ok), '-infinity')) as failing_since,
        (array_agg(w.error_code order by w.started_at desc) filter (where w.error_code is not null))[1]
          as last_error_code
      from written w`
    )
  ).pipe(Effect.map(([row]) => row!))
