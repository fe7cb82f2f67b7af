import type { LaneLease } from "#channels/Lanes.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * How many lanes one success retries early. Few, so that a recovering receiver is not overloaded. Each success triggers
 * the next ones.
 */
const EARLY_AT_ONCE = 64

/**
 * Retries lanes now that wait for a retry at an endpoint which has just accepted an event, earliest due first. A lane
 * is retried early once per wait, and a failure of that retry is not counted. So an event that fails on only one lane
 * keeps its whole schedule, however busy its endpoint is.
 *
 * Lanes are chosen before they are locked, in key order as everywhere, and are checked again when the lock is granted.
 * A lane that an append has locked at this moment is waited for: if it were skipped, it would miss this success.
 */
export const retryLanesEarly = (sql: Sql, reached: ReadonlyArray<LaneLease>) => sql`
  with reached as (
    select distinct o.app_id, o.channel_id
    from unnest(${reached.map(({ appId }) => appId)}::text[],
      ${reached.map(({ channelId }) => channelId)}::text[]) as t(app_id, channel_id)
    join channels c using (app_id, channel_id) join channels o on o.app_id = c.app_id and o.endpoint = c.endpoint
      and not o.paced and o.status in ('active', 'failing')
    where not c.paced
  ), chosen as materialized (
    select x.* from reached r cross join lateral (
      select l.app_id, l.session_id, l.channel_id from lanes l
      where l.app_id = r.app_id and l.channel_id = r.channel_id and l.status = 'waiting' and l.failures > 0
        and l.planned_at is null
      order by l.due_at limit ${EARLY_AT_ONCE}::int
    ) x
  ), early as (
    select l.app_id, l.session_id, l.channel_id from lanes l join chosen using (app_id, session_id, channel_id)
    where l.status = 'waiting' and l.failures > 0 and l.planned_at is null
    order by l.app_id, l.session_id, l.channel_id for no key update of l
  ), hurried as (
    update lanes l set status = 'ready', planned_at = l.due_at, due_at = now() from early e
    where l.app_id = e.app_id and l.session_id = e.session_id and l.channel_id = e.channel_id returning 1
  )
  select graphile_worker.add_job('deliver', '{}'::json) where exists (select from hurried)`
