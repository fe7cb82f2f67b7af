import type { FeedRead } from "#channels/event-log/AppFeed.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** One read, and whether a stream reads it, which has a page in its buffer and one that is read ahead. */
export interface FormedRead extends FeedRead {
  readonly framed: boolean
}

/** Events that a read with a filter looks through at most. */
const MAX_SCANNED = 2000

/**
 * One event of a read. A read without events has one row without an event. Many columns as one text are less work for
 * the connection, and the parts of these have no spaces.
 */
export interface FeedRow {
  /** Index of the read in the batch, from 1. */
  readonly n: number
  /**
   * The feed as the statement sees it: epoch, timeline, the lowest position that no transaction has yet, and up to
   * which position events are trimmed. Then about the cursor: the position at which its epoch ended (or -), whether it
   * was given by a cell that the app has moved from (positions have stayed the same), and whether its event is there.
   */
  readonly origin: string
  /** Position, session, cursor, id, type, role, trace, kind of source, and the time in seconds. */
  readonly event: string | null
  /** The page ends before the first one that does not fit. */
  readonly fits: boolean | null
  /** Null: the filter leaves it out, or it does not fit. */
  readonly payload: string | null
  readonly source_id: string | null
  readonly external_user_ref: string | null
  readonly character_slug: string | null
}

/**
 * The current epoch, and the position below which every transaction has ended. What is written from now on, or becomes
 * visible from now on, is at or above it.
 */
const origin = (sql: Sql) => sql`
  select f.name, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline,
    pg_snapshot_xmin(pg_current_snapshot())::text::bigint + f.shift as bound,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint + f.shift as unused
  from feed_epochs f order by f.epoch desc limit 1`

/**
 * A page ends before the event with which it would exceed this, about. A stream keeps its page for as long as its
 * reader pauses, but small ones would be several times as much work.
 */
export const bytesOf = (framed: boolean) => (framed ? 512 * 1024 : 1024 * 1024)
/** What is around the payload of an event, about. */
const FRAME_BYTES = 500

/** The events that a read looks through at most. */
export const scanOf = ({ filter, limit }: FeedRead) =>
  filter.types === null && filter.characterSlug === null && filter.sessionId === null ? limit : MAX_SCANNED

/**
 * Many reads in one statement. Each walks the index from its place, up to one event more than it may show. What a bot
 * sends in a chat without a session is on a log that belongs to no session, and is not in the feed. Rows come as they
 * are, because PostgreSQL takes several times as long to write JSON. The offsets keep the planner from computing a
 * column for rows that it is not for. A payload becomes text at the end, so that those that do not fit are not kept.
 */
export const readFeeds = (sql: Sql, batch: ReadonlyArray<FormedRead>) => sql`
  with origin as materialized (${origin(sql)})
  select h.index as n, h.origin, q.event, q.fits, case when q.fits then q.payload::text end as payload, q.source_id,
    q.external_user_ref, q.character_slug
  from (
    select w.*, w.n::int as index, o.bound, concat_ws(' ', o.name, o.timeline, o.unused, coalesce(t.position, 0),
      coalesce((select x.first_position from feed_epochs f join feed_epochs x on x.epoch = f.epoch + 1
        where f.name = w.epoch)::text, '-'), coalesce(w.epoch = any(t.epochs), false),
      exists (select from events a where a.app_id = w.app_id and a.session_id = w.session_id and a.cursor = w.cursor
        and a.feed_position = w.position)) as origin
    from unnest(${batch.map(({ appId }) => appId)}::text[], ${batch.map(({ since }) => since?.epoch ?? "")}::text[],
        ${batch.map(({ since }) => since?.position ?? 0)}::bigint[],
        ${batch.map(({ since }) => since?.sessionId ?? "")}::text[],
        ${batch.map(({ since }) => since?.cursor ?? 0)}::bigint[], ${batch.map(scanOf)}::int[],
        ${batch.map(({ limit }) => limit)}::int[],
        ${batch.map(({ framed }) => bytesOf(framed))}::int[],
        ${batch.map(({ filter }) => filter.types?.join(" ") ?? null)}::text[],
        ${batch.map(({ filter }) => filter.characterSlug)}::text[],
        ${batch.map(({ filter }) => filter.sessionId)}::text[])
      with ordinality as w(app_id, epoch, position, session_id, cursor, scan, most, bytes, types, slug, session, n)
    cross join origin o
    left join feed_trims t on t.app_id = w.app_id
    offset 0
  ) h
  left join lateral (
    select f.event, f.payload, f.source_id, f.external_user_ref, f.character_slug,
      count(f.bytes) over upto - (f.bytes is not null)::int < h.most
        and (coalesce(sum(f.bytes) over upto, 0) <= h.bytes or sum(f.bytes) over upto = f.bytes) as fits
    from (
      select e.*, octet_length(e.payload::text) + ${FRAME_BYTES}::int as bytes
      from (
        select e.feed_position, e.session_id, e.cursor,
          e.feed_position || ' ' || e.session_id || ' ' || e.cursor || ' ' || e.id || ' ' || e.type || ' ' || e.role
            || ' ' || e.trace_id || ' ' || e.source_kind || ' ' || date_part('epoch', e.created_at) as event,
          case when not starts_with(e.session_id, 'svc_')
            and (h.types is null or e.type = any(string_to_array(h.types, ' ')))
            and (h.slug is null or s.character_slug = h.slug) and (h.session is null or e.session_id = h.session)
            then case when e.type = 'relationship_score.changed' then (visible_event(e)).payload else e.payload end
            end as payload,
          e.source_id, s.external_user_ref, s.character_slug
        from (
          select * from events e where e.app_id = h.app_id
            and (e.feed_position, e.session_id, e.cursor) > (h.position, h.session_id, h.cursor)
            and e.feed_position < h.bound
          order by e.feed_position, e.session_id, e.cursor limit h.scan + 1
        ) e left join sessions s on s.app_id = e.app_id and s.session_id = e.session_id
        offset 0
      ) e
    ) f
    window upto as (order by f.feed_position, f.session_id, f.cursor rows unbounded preceding)
    order by f.feed_position, f.session_id, f.cursor
  ) q on true`

/** The end of every feed: what is visible later is at or above it. */
export const endOfFeed = (sql: Sql) => sql`
  select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + f.shift from feed_epochs f
  order by f.epoch desc limit 1`

export interface HeadRow {
  readonly app_id: string
  readonly head: string
}

export interface EndRow {
  readonly epoch: string
  readonly timeline: string
  readonly position: number
  readonly session_id: string
  readonly cursor: number
  readonly trimmed: number
}

/** The newest event that the feed of an app shows, and its cursor. */
export const readEnd = (sql: Sql, app: string) => sql`
  with origin as materialized (${origin(sql)})
  select o.name as epoch, o.timeline, e.feed_position as position, e.session_id, e.cursor,
    coalesce((select t.position from feed_trims t where t.app_id = ${app}), 0)::int8 as trimmed
  from origin o cross join lateral (
    select * from events e where e.app_id = ${app} and e.feed_position < o.bound
    order by e.feed_position desc, e.session_id desc, e.cursor desc limit 1
  ) e`

/** The newest event that the feed of each of these apps shows. */
export const readHeads = (sql: Sql, apps: ReadonlyArray<string>) => sql`
  with origin as materialized (${origin(sql)})
  select w.app_id, e.head
  from unnest(${apps}::text[]) as w(app_id) cross join origin o cross join lateral (
    select e.feed_position || '.' || e.session_id || '.' || e.cursor as head from events e
    where e.app_id = w.app_id and e.feed_position < o.bound
    order by e.feed_position desc, e.session_id desc, e.cursor desc limit 1
  ) e`
