import type { Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"

/**
 * Waiting lanes of a channel: those that a success of its endpoint would hurry, through the index `lanes_retrying`, and
 * all others, through `lanes_held_back`. At most `limit` of each.
 */
export const waitingLanes = (sql: Sql, appId: Query, channelId: Query, limit: number) => sql`
  (select l.session_id, l.due_at from lanes l
    where l.app_id = ${appId} and l.channel_id = ${channelId} and l.status = 'waiting'
      and l.failures > 0 and l.planned_at is null
    order by l.due_at limit ${limit}::int)
  union all
  (select l.session_id, l.due_at from lanes l
    where l.app_id = ${appId} and l.channel_id = ${channelId} and l.status = 'waiting'
      and (l.failures = 0 or l.planned_at is not null)
    order by l.due_at limit ${limit}::int)`

/** Lanes of a channel whose next event may be sent now, at most `limit`, through the index `lanes_ready`. */
export const readyLanes = (sql: Sql, appId: Query, channelId: Query, limit: number) => sql`
  (select l.session_id, l.due_at from lanes l
    where l.app_id = ${appId} and l.channel_id = ${channelId} and l.status = 'ready' and l.owner is null
    order by l.due_at limit ${limit}::int)`
