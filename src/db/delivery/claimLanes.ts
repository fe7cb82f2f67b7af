import type { ClaimCapacity } from "#channels/Lanes.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import type { Joined } from "#src/db/postgres/Joined.ts"
import { ALL_APPS, lockSuspensions } from "./isSuspendedByOperator.ts"
import { shownEvent } from "./shownEvent.ts"

/** Events per lease. Few, so that a lane with a long backlog does not block others. */
const EVENTS_PER_LEASE = 8
/** How many channels one claim visits. */
export const CHANNELS_PER_CLAIM = 256
/** How many lanes of a stopped channel one claim parks. */
const PARKED_PER_CLAIM = 200

/** Where a claim continues. Claims visit the channels in turn, so that none is always last. */
export interface LastClaimed {
  readonly appId: string
  readonly channelId: string
}

/** A leased event. A claim that leased nothing returns one row without an event. */
/** What a claim has looked at. */
interface Visit {
  readonly visited: number
  readonly picked: number
  readonly last_app: string | null
  readonly last_channel: string | null
}

/** An event of a leased lane. */
interface LeasedEvent {
  readonly app_id: string
  readonly session_id: string
  readonly channel_id: string
  readonly kind: string
  readonly endpoint: string
  readonly version: number
  readonly fence: number
  readonly failures: number
  readonly early_ms: number | null
  readonly part: number
  readonly interrupted: number | null
  readonly interrupted_part: number
  readonly unknowns: number
  readonly examined: number
  readonly cursor: number
  readonly id: string
  readonly type: string
  readonly text: string
  readonly created_at: Date
  readonly traceparent: string | null
  readonly expired: boolean
  readonly redo: boolean
  readonly sent: ReadonlyArray<number> | null
}

export type LeaseRow = Visit & Joined<LeasedEvent>

/**
 * Leases ready lanes. Visits the channels that have any with index skip scans, so a channel with a hundred thousand
 * ready lanes costs a claim no more than one with a single lane. Each lane is looked up separately: a join would read
 * all lanes, which the planner prefers while there are few. Ready lanes of stopped channels, suspended bots and
 * suspended apps are parked on the way. A delivery that was in progress when an earlier lease was lost is recorded as
 * unknown. The intent to send the first event is recorded as well, unless the channel is paced: then a separate
 * statement does this after the wait. The log is scanned up to the last event in this statement's snapshot, which may
 * be before a head that has just moved. A free slot goes to the app that uses the fewest, and there to the endpoint
 * that uses the fewest, whatever has waited longer: otherwise two apps with slow receivers would keep every slot. The
 * history of a conversation that was held elsewhere is not delivered: the app has it already. The worker's own row is
 * locked against deletion, because a process that finds the worker dead deletes that row before it releases its lanes.
 */
export const claimLanes = (sql: Sql, owner: string, room: ClaimCapacity, after: LastClaimed) => sql`
  with recursive me as (
    select worker_id from workers where worker_id = ${owner} for key share
  ), hold as (
    ${lockSuspensions(sql)}
  ), visit as (
    (select app_id, channel_id, 1 as n from lanes
      where status = 'ready' and owner is null and (app_id,
        channel_id) > (${after.appId}, ${after.channelId}) order by app_id, channel_id limit 1)
    union all
    select x.app_id, x.channel_id, v.n + 1 from visit v cross join lateral (
      select app_id, channel_id from lanes
      where status = 'ready' and owner is null and (app_id, channel_id) > (v.app_id, v.channel_id) order by app_id,
        channel_id limit 1
    ) x where v.n < ${CHANNELS_PER_CLAIM}::int
  ), visited as (
    select v.app_id, v.channel_id, c.kind, c.endpoint, c.version, c.events, c.paced,
      c.status in ('active', 'failing') and not exists (select from hold h
        where h.scope in (${ALL_APPS}, v.app_id) and h.kind in ('app', 'move', 'delivery', c.hold_kind)) as walked,
      case when c.status = 'failing' then 1 when c.paced
        then least(${room.perPaced}::int, ${room.perEndpoint}::int) else ${room.perEndpoint}::int end as places,
      coalesce(c.not_before <= now(), true) as wanted, coalesce(b.busy, 0) as busy, coalesce(a.busy, 0) as app_busy
    from visit v left join lateral (select * from channels x where x.app_id = v.app_id
      and x.channel_id = v.channel_id offset 0) c on true
    left join unnest(${[...room.endpoints.keys()]}::text[],
      ${[...room.endpoints.values()]}::int[]) as b(endpoint, busy) on b.endpoint = c.endpoint
    left join unnest(${[...room.apps.keys()]}::text[],
      ${[...room.apps.values()]}::int[]) as a(app_id, busy) on a.app_id = v.app_id
  ), parked as (
    update lanes l set status = 'parked' from (
      select x.* from visited v cross join lateral (
        select app_id, session_id, channel_id from lanes
        where app_id = v.app_id and channel_id = v.channel_id and status = 'ready' and owner is null
        order by due_at limit ${PARKED_PER_CLAIM}::int for no key update skip locked
      ) x where v.walked is not true
    ) p
    where l.app_id = p.app_id and l.session_id = p.session_id and l.channel_id = p.channel_id
  ), candidate as (
    select l.*, v.kind, v.endpoint, v.version, v.events, v.paced, v.places, v.app_busy,
      v.busy + row_number() over (partition by v.endpoint order by l.due_at) as of_endpoint
    from visited v cross join lateral (
      select app_id, session_id, channel_id, due_at from lanes
      where app_id = v.app_id and channel_id = v.channel_id and status = 'ready' and owner is null
      order by due_at limit greatest(0, least(${room.lanes}::int, v.places - v.busy))
    ) l where v.walked and v.wanted
  ), ranked as (
    select *, app_busy + row_number() over (partition by app_id order by of_endpoint, due_at) as of_app
    from candidate where of_endpoint <= places
  ), picked as (
    select l.*, k.kind, k.endpoint, k.version, k.events, k.paced
    from ranked k join lanes l using (app_id, session_id, channel_id), me
    where l.status = 'ready' and l.owner is null and k.of_app <= ${room.perApp}::int
    order by k.of_app, k.of_endpoint, l.due_at limit ${room.lanes}::int for no key update of l skip locked
  ), next as (
    select p.app_id, p.session_id, p.channel_id, e.*, row_number() over (partition by p.app_id, p.session_id,
      p.channel_id order by e.cursor) as place
    from picked p left join sessions s using (app_id, session_id) cross join lateral (
      select e.cursor, e.id, e.type,
        ${shownEvent(sql)} as text, e.created_at, coalesce(e.expires_at <= now(), false)
          or coalesce(e.created_at < p.stale_before,
          false) as expired, p.redo <> '{}' as redo, e.traceparent from events e
      where e.app_id = p.app_id and e.session_id = p.session_id and e.cursor > p.position and p.redo = '{}'
        and (p.events is null or e.type = any(p.events)) and e.source_kind <> 'history'
      order by e.cursor limit ${EVENTS_PER_LEASE}::int
    ) e
    union all
    select p.app_id, p.session_id, p.channel_id, e.cursor, e.id, e.type,
      ${shownEvent(sql)}, e.created_at, false, true, e.traceparent,
        row_number() over (partition by p.app_id, p.session_id, p.channel_id
        order by e.cursor)
    from picked p left join sessions s using (app_id, session_id) join events e on e.app_id = p.app_id
      and e.session_id = p.session_id and e.cursor = any(p.redo[1:${EVENTS_PER_LEASE}::int])
  ), seen as (
    select p.app_id, p.session_id, p.channel_id, p.paced, n.events, n.cursor, case
        when p.redo <> '{}' then p.position
        when n.events = ${EVENTS_PER_LEASE}::int then n.last
        else greatest(p.position, coalesce(t.cursor, 0)) end as examined
    from picked p
    left join (select app_id, session_id, channel_id, count(*) as events, min(cursor) as cursor, max(cursor) as last
      from next group by 1, 2, 3) n using (app_id, session_id, channel_id)
    left join lateral (select e.cursor from events e where e.app_id = p.app_id and e.session_id = p.session_id
      order by e.cursor desc limit 1) t on true
  ), leased as (
    update lanes l set fence = l.fence + 1,
      owner = case when s.cursor is null then null else ${owner} end,
      sending = case when s.paced then l.sending else s.cursor end, sending_at = case when s.paced then l.sending_at
        else now() end,
      position = case when s.cursor is null then s.examined else l.position end,
      redo = case when s.cursor is null then l.redo[${EVENTS_PER_LEASE + 1}::int:] else l.redo end,
      status = case when s.cursor is null and s.examined >= l.head
        and cardinality(l.redo) <= ${EVENTS_PER_LEASE}::int then 'idle' else 'ready' end
    from seen s
    where l.app_id = s.app_id and l.session_id = s.session_id and l.channel_id = s.channel_id
    returning l.app_id, l.session_id, l.channel_id, l.fence, l.failures, s.examined
  ), interrupted as (
    insert into delivery_attempts (app_id, session_id, channel_id, cursor, part, fence, event_id, outcome, error_code,
      started_at, latency_ms)
    select p.app_id, p.session_id, p.channel_id, p.sending, p.sending_part, coalesce(p.sending_fence, p.fence), e.id,
      'unknown', 'interrupted', p.sending_at, extract(epoch from now() - p.sending_at) * 1000
    from picked p join events e on e.app_id = p.app_id and e.session_id = p.session_id and e.cursor = p.sending
    on conflict do nothing
  )
  select v.visited, v.picked, v.last_app, v.last_channel, n.app_id, n.session_id, n.channel_id, p.kind, p.endpoint,
    p.version, d.fence, d.failures, d.examined,
    case when p.planned_at > now() then extract(epoch from p.planned_at - now())::float8 * 1000 end as early_ms, case
      when n.redo then 0 else p.part end as part, p.sending as interrupted, p.sending_part as interrupted_part,
    case when p.paced then (p.sending is not null)::int + (
      select count(*)::int from delivery_attempts a where a.app_id = p.app_id and a.session_id = p.session_id
        and a.channel_id = p.channel_id
        and a.cursor = coalesce(p.sending, n.cursor) and a.part = case when p.sending is null then p.part
          else p.sending_part end and a.outcome = 'unknown'
        and a.fence is distinct from p.sending_fence
    ) else 0 end as unknowns,
    n.cursor, n.id, n.type, n.text, n.created_at, n.traceparent, n.expired, n.redo, case when n.redo and p.paced then (
      select json_agg(a.part) from delivery_attempts a
      where a.app_id = p.app_id and a.session_id = p.session_id and a.channel_id = p.channel_id and a.cursor = n.cursor
        and a.outcome = 'sent'
    ) end as sent
  from (
    select count(*)::int as visited, max(app_id) as last_app, (array_agg(channel_id
      order by n desc))[1] as last_channel, (select count(*)::int from picked) as picked from visit
  ) v left join (leased d join picked p using (app_id, session_id, channel_id) join next n using (app_id, session_id,
    channel_id)) on true
  order by n.app_id, n.session_id, n.channel_id, n.place`
