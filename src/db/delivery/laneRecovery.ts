import type { Sql } from "#src/db/postgres/Database.ts"

/** Makes lanes ready whose time has come or whose owner is not registered. Returns a row for each. */
export const sweepLanes = (sql: Sql) => sql`
  with due as (
    select app_id, session_id, channel_id from lanes where status = 'waiting' and due_at <= now()
    order by due_at limit 1000 for no key update skip locked
  ), orphaned as (
    select app_id, session_id, channel_id from lanes l
    where l.owner is not null and not exists (select from workers w
      where w.worker_id = l.owner) for no key update skip locked
  )
  update lanes l set status = 'ready', owner = null, due_at = now(), planned_at = case when l.planned_at > now()
    then l.planned_at end
  from (select * from due union select * from orphaned) x
  where l.app_id = x.app_id and l.session_id = x.session_id and l.channel_id = x.channel_id
  returning 1`
