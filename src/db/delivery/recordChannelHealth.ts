import { DISABLED_AFTER, FAILING_AFTER, PROBE_EVERY } from "#channels/health.ts"
import type { LaneStep } from "#channels/Lanes.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { milliseconds } from "./laneSteps.ts"

/**
 * Records the health of the channels in these steps. Written separately from the steps, so that the lanes of a large
 * channel do not wait for its row.
 */
export const recordChannelHealth = (sql: Sql, batch: ReadonlyArray<LaneStep>) => {
  const b = {
    app: batch.map(({ lease }) => lease.appId),
    channel: batch.map(({ lease }) => lease.channelId),
    outcome: batch.map(({ outcome }) => outcome),
    throttleMs: batch.map(({ throttle }) => milliseconds(throttle)),
    statusCode: batch.map(({ statusCode }) => statusCode),
    errorCode: batch.map(({ errorCode }) => errorCode)
  }
  return sql`
    with seen as (
      select app_id, channel_id, bool_or(outcome = 'gone') as gone, bool_or(outcome in ('sent', 'rejected')) as reached,
        count(*) filter (where outcome not in ('sent', 'rejected')) as failed, max(throttle_ms) as throttle_ms,
        (array_agg(status_code order by n desc) filter (where outcome not in ('sent', 'rejected')))[1] as status_code,
        (array_agg(error_code order by n desc) filter (where outcome not in ('sent', 'rejected')))[1] as error_code
      from unnest(${b.app}::text[], ${b.channel}::text[], ${b.outcome}::text[], ${b.throttleMs}::bigint[],
        ${b.statusCode}::int[], ${b.errorCode}::text[])
        with ordinality as t(app_id, channel_id, outcome, throttle_ms, status_code, error_code, n)
      group by 1, 2
    ), present as (
      select c.app_id, c.channel_id, s.gone, s.reached, s.failed, s.throttle_ms, s.status_code, s.error_code,
        case when not s.reached
        then coalesce(c.failing_since, now()) end as failing_since
      from (select * from seen order by app_id, channel_id offset 0) s cross join lateral (
        select * from channels x where x.app_id = s.app_id and x.channel_id = s.channel_id and x.status in ('active',
          'failing') offset 0 for no key update
      ) c
    )
    update channels c set
      failing_since = p.failing_since,
      consecutive_failures = case when p.reached then 0 else c.consecutive_failures + p.failed end,
      last_success_at = case when p.reached then now() else c.last_success_at end,
      last_failure_at = case when p.failed > 0 then now() else c.last_failure_at end,
      last_status_code = case when p.failed > 0 then p.status_code else c.last_status_code end,
      last_error_code = case when p.failed > 0 then p.error_code else c.last_error_code end,
      status = case
        when p.gone or p.failing_since < now() -
          ${milliseconds(DISABLED_AFTER)}::bigint * interval '1 millisecond' then 'disabled'
        when p.failing_since < now() - ${milliseconds(FAILING_AFTER)}::bigint * interval '1 millisecond' then 'failing'
        else 'active' end,
      not_before = case
        when p.failing_since < now() -
          ${milliseconds(FAILING_AFTER)}::bigint * interval '1 millisecond'
            then now() + ${milliseconds(PROBE_EVERY)}::bigint * interval '1 millisecond'
        when p.throttle_ms is not null then now() + p.throttle_ms * interval '1 millisecond'
        else c.not_before end
    from present p where c.app_id = p.app_id and c.channel_id = p.channel_id`
}
