import type { LaneStep } from "#channels/Lanes.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * Lanes that one success has tried early. Few, so that a receiver that has just come back is not overrun: each of them
 * that succeeds calls the next.
 */
const EARLY_AT_ONCE = 64

/**
 * Has lanes tried now that wait to try again at an endpoint which has just taken something, those first that are due
 * first. A lane is tried early once per wait, and a failure of that try is not counted: an event that only one lane
 * fails at keeps its whole schedule, however busy its endpoint is.
 */
export const hurryLanes = (sql: Sql, batch: ReadonlyArray<LaneStep>) => sql`
  with reached as (
    select distinct o.app_id, o.channel_id
    from unnest(${batch.map(({ lease }) => lease.appId)}::text[],
      ${batch.map(({ lease }) => lease.channelId)}::text[]) as t(app_id, channel_id)
    join channels c using (app_id, channel_id) join channels o on o.app_id = c.app_id and o.endpoint = c.endpoint
      and not o.paced and o.status in ('active', 'failing')
    where not c.paced
  ), early as (
    select x.* from reached r cross join lateral (
      select l.app_id, l.session_id, l.channel_id from lanes l
      where l.app_id = r.app_id and l.channel_id = r.channel_id and l.status = 'waiting' and l.failures > 0
        and l.planned_at is null
      order by l.due_at limit ${EARLY_AT_ONCE}::int for no key update of l skip locked
    ) x
  ), hurried as (
    update lanes l set status = 'ready', planned_at = l.due_at, due_at = now() from early e
    where l.app_id = e.app_id and l.session_id = e.session_id and l.channel_id = e.channel_id returning 1
  )
  select graphile_worker.add_job('deliver', '{}'::json) where exists (select from hurried)`
