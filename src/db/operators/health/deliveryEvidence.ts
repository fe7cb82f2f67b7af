import { readyLanes, waitingLanes } from "#src/db/delivery/waitingLanes.ts"
import { ALERTS_APP } from "#src/health/alertsApp.ts"
import type { ChannelEvidence, LaneEvidence, UnknownEvidence } from "#src/health/Evidence.ts"
import { AFTER_MS, MAX_REACH } from "#src/health/limits.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { MOST, ofApp } from "./scope.ts"

/** Conversations whose events wait for a channel, up to a limit. */
const waitingAt = (sql: Sql) => sql`(
  select least(count(*), ${MAX_REACH}::int)::int from (
    ${readyLanes(sql, sql`channels.app_id`, sql`channels.channel_id`, MAX_REACH)}
    union all
    ${waitingLanes(sql, sql`channels.app_id`, sql`channels.channel_id`, MAX_REACH)}
  ) l)`

const COLUMNS = (sql: Sql) => sql`
  app_id, channel_id, session_id, kind, status, status_since, failing_since, consecutive_failures, last_success_at,
  last_failure_at, last_status_code, last_error_code, ${waitingAt(sql)} as reach`

/**
 * Push channels that fail or are disabled, read through the index `channels_troubled`, and alert channels that are
 * paused.
 */
export const channelEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<ChannelEvidence>>(
      (sql) => sql`
      (select ${COLUMNS(sql)} from channels
        where (status in ('failing', 'disabled') or (status = 'active' and failing_since is not null))
          ${ofApp(sql, sql`app_id`, appId)}
        limit ${MOST}::int)
      union all
      select ${COLUMNS(sql)} from channels
      where app_id = ${ALERTS_APP} and status = 'paused' ${ofApp(sql, sql`app_id`, appId)}`
    )
  )

/**
 * Channels with ready lanes that are old. The channels that have any are found with index skip scans, as by the
 * courier, so that a backlog of one channel costs no more than a single lane. A channel that fails is not listed here.
 */
export const laneEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<LaneEvidence>>(
      (sql) => sql`
      with recursive visit as (
        (select app_id, channel_id, due_at, 1 as n from lanes where status = 'ready' and owner is null
          ${ofApp(sql, sql`app_id`, appId)} order by app_id, channel_id, due_at limit 1)
        union all
        select x.app_id, x.channel_id, x.due_at, v.n + 1 from visit v cross join lateral (
          select app_id, channel_id, due_at from lanes where status = 'ready' and owner is null
            and (app_id, channel_id) > (v.app_id, v.channel_id) ${ofApp(sql, sql`app_id`, appId)}
          order by app_id, channel_id, due_at limit 1
        ) x where v.n < ${MOST}::int
      ), old as (
        select app_id, channel_id, due_at from visit
        where due_at < now() - ${AFTER_MS.laneOld}::int * interval '1 millisecond'
      )
      select o.app_id, o.channel_id, c.kind, o.due_at as oldest_due_at, (
        select count(*)::int from (
          select 1 from lanes l where l.app_id = o.app_id and l.channel_id = o.channel_id and l.status = 'ready'
            and l.owner is null and l.due_at < now() - ${AFTER_MS.laneOld}::int * interval '1 millisecond'
          limit ${MAX_REACH}::int
        ) l
      ) as lanes
      from old o join channels c using (app_id, channel_id)
      where c.status = 'active' and c.failing_since is null`
    )
  )

/**
 * Channels with deliveries of the last day whose outcome is unknown, and that no later attempt has made certain. They
 * count once their lane has passed them, and after a while in any case. Read through indexes on attempts with this
 * outcome alone.
 */
export const unknownEvidence = (appId: string | null) =>
  Database.use(({ query }) =>
    query<Array<UnknownEvidence>>(
      (sql) => sql`
      select u.app_id, u.channel_id, c.kind, u.first_at, u.deliveries, u.session_id, u.reach from (
        select a.app_id, a.channel_id, min(a.started_at) as first_at, count(*)::int as deliveries,
          max(a.session_id) as session_id, count(distinct a.session_id)::int as reach
        from (
          select app_id, session_id, channel_id, cursor, part, fence, started_at from delivery_attempts
          where outcome = 'unknown' and started_at >= now() - interval '1 day' ${ofApp(sql, sql`app_id`, appId)}
          order by started_at limit ${MOST}::int
        ) a
        where not exists (
          select from delivery_attempts later where later.app_id = a.app_id and later.session_id = a.session_id
            and later.channel_id = a.channel_id and later.cursor = a.cursor and later.part = a.part
            and later.fence > a.fence
        ) and (
          a.started_at < now() - ${AFTER_MS.deliveryUnknown}::int * interval '1 millisecond'
          or exists (
            select from lanes l where l.app_id = a.app_id and l.session_id = a.session_id
              and l.channel_id = a.channel_id and l.position >= a.cursor and a.cursor <> all(l.redo)
          )
        )
        group by 1, 2
      ) u left join channels c using (app_id, channel_id)`
    )
  )
