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

/**
 * Replies that ended in the last minute and in the last five, read from the end of the table. A reply may take several
 * attempts. It counts from its latest one, and no attempt takes as long as the rest of the range that is read.
 */
export const modelEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<ModelEvidence>>(
      (sql) => sql`
      with written as materialized (
        select app_id, session_id, turn_index, status, started_at, error_code, detail,
          started_at + latency_ms * interval '1 millisecond' as ended_at
        from turn_stages
        where started_at >= now() - interval '8 minutes' and stage = 'generation' and status <> 'skipped'
          ${ofApp(sql, sql`app_id`, appId)}
      ), replies as materialized (
        select app_id, session_id, max(ended_at) as ended_at, bool_or(status = 'ok') as is_ok from written
        where ended_at >= now() - interval '5 minutes'
        group by app_id, session_id, turn_index
      ), latest as (
        select count(*)::int as replies_1m, count(*) filter (where not is_ok)::int as failed_1m,
          count(distinct (app_id, session_id)) filter (where not is_ok)::int as reach_1m
        from replies where ended_at >= now() - interval '1 minute'
      ), recent as (
        select count(*)::int as replies_5m, count(*) filter (where not is_ok)::int as failed_5m,
          count(distinct (app_id, session_id)) filter (where not is_ok)::int as reach_5m,
          max(ended_at) filter (where not is_ok) as last_failed_at
        from replies
      ), since_ok as (
        select count(*)::int as failed_since_ok, count(distinct (app_id, session_id))::int as reach_since_ok
        from replies
        where ended_at > coalesce((select max(r.ended_at) from replies r where r.is_ok), '-infinity')
      ), ok as (
        select max(started_at) as at from written where status = 'ok' and ended_at >= now() - interval '5 minutes'
      ), failed as (
        select min(started_at) filter (where started_at > coalesce((select at from ok), '-infinity')) as failing_since,
          (array_agg(error_code order by ended_at desc) filter (where error_code is not null))[1] as last_error_code,
          (array_agg(detail ->> 'reason' order by ended_at desc) filter (where error_code is not null))[1]
            as last_failure,
          (array_agg(detail ->> 'said' order by ended_at desc) filter (where error_code is not null))[1] as last_said
        from written where status <> 'ok' and ended_at >= now() - interval '5 minutes'
      )
      select l.replies_1m, l.failed_1m, l.reach_1m, r.replies_5m, r.failed_5m, r.reach_5m,
        s.failed_since_ok, s.reach_since_ok,
        (select at from ok) as last_ok_at, r.last_failed_at, f.failing_since, f.last_error_code,
        f.last_failure, f.last_said
      from latest l cross join recent r cross join since_ok s cross join failed f`
    )
  ).pipe(Effect.map(([row]) => row!))
