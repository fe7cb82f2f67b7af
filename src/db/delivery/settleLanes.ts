import * as Duration from "effect/Duration"
import type { AfterStep, LaneStep } from "#channels/Lanes.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { milliseconds, toColumns } from "./laneSteps.ts"

/** How often a healthy channel is recorded. */
const NOTED_EVERY = Duration.seconds(10)

/**
 * Writes the results of attempts and moves their lanes, only if the lease is still valid. A lane without a row in the
 * result was taken over. Lanes are locked in key order, as everywhere, and evaluated after they are locked. With
 * `next`, the intent to send that event is recorded. If the channel was stopped or changed in the meantime, or its app
 * is suspended, the lane is released instead. A retry gets a wake-up job for the second after it is due, shared by all
 * retries of that second.
 */
export const settleLanes = (sql: Sql, batch: ReadonlyArray<LaneStep>) => {
  const b = toColumns(batch)
  return sql<Array<{ readonly n: number; readonly after: Exclude<AfterStep, "lost">; readonly news: boolean }>>`
    with done as (
      select d.*, c.status in ('active', 'failing') and c.version = d.version
        and not (${isSuspended(sql, sql`d.app_id`)}) as goes_on, c.paced,
        d.telling = 1 and (d.outcome not in ('sent', 'rejected') or d.recovered = 1 or c.failing_since is not null
          or c.last_success_at >= now() -
            ${milliseconds(NOTED_EVERY)}::bigint * interval '1 millisecond' is not true) as news
      from unnest(${b.app}::text[], ${b.session}::text[],
        ${b.channel}::text[], ${b.version}::int[],
          ${b.owner}::text[], ${b.fence}::int[], ${b.cursor}::bigint[], ${b.part}::int[], ${b.event}::text[],
          ${b.redo}::int[], ${b.last}::int[],
            ${b.telling}::int[], ${b.recovered}::int[],
              ${b.outcome}::text[], ${b.statusCode}::int[],
                ${b.errorCode}::text[], ${b.answer}::text[], ${b.request}::text[],
                  ${b.startedAt}::text[], ${b.latencyMs}::bigint[],
          ${b.position}::bigint[], ${b.past}::int[],
            ${b.parked}::int[], ${b.failures}::int[], ${b.delayMs}::bigint[], ${b.next}::bigint[])
        with ordinality as d(app_id, session_id, channel_id, version, owner, fence, cursor, part, event_id, redo, last,
          telling, recovered, outcome, status_code, error_code, answer, request, started_at, latency_ms,
          position, past, parked, failures, delay_ms, next, n)
      left join lateral (select * from channels x where x.app_id = d.app_id
        and x.channel_id = d.channel_id offset 0) c on true
    ), mine as (
      select d.n, l.app_id, l.session_id, l.channel_id from lanes l join done d using (app_id, session_id, channel_id)
      order by l.app_id, l.session_id, l.channel_id for no key update of l
    ), moved as (
      update lanes l set
        position = greatest(l.position, coalesce(d.position, 0)),
        part = coalesce(d.past, l.part),
        redo = case when d.redo = 1 and d.last = 1 then array_remove(l.redo, d.cursor) else l.redo end,
        failures = case when d.redo = 1 then l.failures else d.failures end,
        planned_at = case when d.redo = 1 or (d.delay_ms is not null and d.failures = l.failures) then l.planned_at end,
        owner = case when d.goes_on then case when d.next is null then null else l.owner end end,
        sending = case when d.goes_on and not d.paced then d.next end, sending_fence = null,
        sending_at = now(),
        due_at = now() + coalesce(d.delay_ms, 0) * interval '1 millisecond',
        status = case
          when d.parked = 1 then 'parked'
          when d.delay_ms is not null then 'waiting'
          when greatest(l.position, coalesce(d.position, 0)) < l.head or (case when d.redo = 1 and d.last = 1
            then array_remove(l.redo, d.cursor) else l.redo end) <> '{}' then 'ready'
          else 'idle' end
      from mine m join done d using (n)
      where l.app_id = m.app_id and l.session_id = m.session_id and l.channel_id = m.channel_id and l.owner = d.owner
        and l.fence = d.fence
      returning d.n, d.news, l.due_at, case when l.owner is not null then 'next' when l.status = 'ready' then 'ready'
        else 'rest' end as after
    ), recorded as (
      insert into delivery_attempts (app_id, session_id, channel_id, cursor, part, fence, event_id, outcome,
        status_code, error_code, answer, request, started_at, latency_ms)
      select d.app_id, d.session_id, d.channel_id, d.cursor, d.part, d.fence, d.event_id, d.outcome, d.status_code,
        d.error_code, d.answer, d.request::json, d.started_at::timestamptz, d.latency_ms
      from done d join moved m using (n) where d.outcome is not null
      on conflict do nothing
    ), woken as (
      select count(graphile_worker.add_job('deliver', '{}'::json, run_at := due.at,
        job_key := 'deliver:' || extract(epoch from due.at)::bigint, job_key_mode := 'preserve_run_at'))
      from (select distinct date_trunc('second', m.due_at) + interval '1 second' as at from moved m
        join done d using (n) where d.delay_ms is not null) due
    )
    select m.n::int, m.after, m.news from moved m, woken`
}
