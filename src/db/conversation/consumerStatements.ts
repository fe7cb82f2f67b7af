import { shownEvent } from "#src/db/delivery/shownEvent.ts"
import type { Sql } from "#src/db/postgres/Database.ts"

/** The consumer as stored. */
export interface ConsumerRow {
  readonly name: string
  readonly types: ReadonlyArray<string> | null
  readonly character: string | null
  readonly lease_seconds: number
  readonly feed_position: number
  readonly feed_session: string
  readonly feed_cursor: number
  readonly trimmed: number
}

/** Locks the consumer, so that its processes are given events one after the other. */
export const lockConsumer = (sql: Sql, app: string, name: string) => sql`
  select name, array_to_json(types) as types, character_filter as character, lease_seconds, feed_position, feed_session,
    feed_cursor, trimmed
  from consumers where app_id = ${app} and name = ${name} for no key update`

/** What was given under this token is done. Returns one row per session. */
export const acknowledge = (sql: Sql, app: string, name: string, token: string) => sql`
  with done as (
    delete from consumer_leases
    where app_id = ${app} and name = ${name} and token = ${token} and given_cursor >= last_cursor returning 1
  ), partly as (
    update consumer_leases set acked_cursor = given_cursor, token = null, leased_until = now()
    where app_id = ${app} and name = ${name} and token = ${token} and given_cursor < last_cursor returning 1
  )
  select 1 as session from done union all select 1 from partly`

/** Sessions looked at per pull. */
const SESSIONS_PER_PULL = 200
/** A pull takes no further events once it has as many bytes. */
export const MAX_PULLED_BYTES = 1024 * 1024

export interface WaitingRow {
  readonly session_id: string
  readonly cursor: number
  readonly last_cursor: number
  /** Null: the filter leaves it out. */
  readonly shown: string | null
}

/**
 * Events of sessions that nobody handles now: those that waited for an acknowledgement, and those whose lease has
 * ended. In the order of their logs, the sessions that have waited longest first.
 */
export const readWaiting = (sql: Sql, app: string, { name, types, character }: ConsumerRow, limit: number) => sql`
  select q.session_id, q.cursor, q.last_cursor, q.shown
  from (
    select f.*, coalesce(sum(octet_length(f.shown))
      over (order by f.leased_until, f.session_id, f.cursor rows unbounded preceding), 0) as bytes
    from (
      select e.session_id, e.cursor, w.last_cursor, w.leased_until, e.shown
      from (
        select session_id, acked_cursor, last_cursor, leased_until from consumer_leases
        where app_id = ${app} and name = ${name} and leased_until <= now()
        order by leased_until, session_id limit ${SESSIONS_PER_PULL}::int
      ) w cross join lateral (
        select e.session_id, e.cursor, case
          when (${types === null ? null : types.join(" ")}::text is null
              or e.type = any(string_to_array(${types === null ? null : types.join(" ")}::text, ' ')))
            and (${character}::text is null or s.character_slug = ${character})
          then ${shownEvent(sql)} end as shown
        from (
          select * from events x where x.app_id = ${app} and x.session_id = w.session_id and x.cursor > w.acked_cursor
            and x.cursor <= w.last_cursor order by x.cursor limit ${limit}::int
        ) e left join sessions s on s.app_id = e.app_id and s.session_id = e.session_id
      ) e
      order by w.leased_until, w.session_id, e.cursor limit ${limit}::int
    ) f
  ) q
  where q.bytes <= ${MAX_PULLED_BYTES}::int or q.bytes = octet_length(q.shown)
  order by q.leased_until, q.session_id, q.cursor`

/** Deletes what waits for nothing: its events are gone, because they were erased or deleted by age. */
export const dropEmpty = (sql: Sql, app: string, name: string) => sql`
  delete from consumer_leases w where w.app_id = ${app} and w.name = ${name} and w.leased_until <= now()
    and not exists (select from events e where e.app_id = w.app_id and e.session_id = w.session_id
      and e.cursor > w.acked_cursor and e.cursor <= w.last_cursor)`

/** Of these sessions, those that are not free: a process has them, or events of theirs wait. */
export const findBusy = (sql: Sql, app: string, name: string, sessions: ReadonlyArray<string>) => sql`
  select session_id from consumer_leases
  where app_id = ${app} and name = ${name} and session_id = any(${[...sessions]}::text[])`

/** A session's events as they are given. Cursors are those of its log. */
export interface Given {
  readonly sessionId: string
  readonly acked: number
  readonly given: number
  readonly last: number
}

/** Gives the sessions to a process. */
export const giveSessions = (
  sql: Sql,
  app: string,
  { name, lease_seconds }: ConsumerRow,
  token: string,
  sessions: ReadonlyArray<Given>
) => sql`
  insert into consumer_leases (app_id, name, session_id, acked_cursor, token, given_cursor, leased_until, last_cursor)
  select ${app}, ${name}, g.session_id, g.acked, ${token}, g.given,
    now() + ${lease_seconds}::int * interval '1 second', g.last
  from unnest(${sessions.map(({ sessionId }) => sessionId)}::text[], ${sessions.map(({ acked }) => acked)}::bigint[],
    ${sessions.map(({ given }) => given)}::bigint[], ${sessions.map(({ last }) => last)}::bigint[])
    as g(session_id, acked, given, last)
  on conflict (app_id, name, session_id) do update set token = excluded.token, given_cursor = excluded.given_cursor,
    leased_until = excluded.leased_until, last_cursor = greatest(consumer_leases.last_cursor, excluded.last_cursor)`

/** Lets events wait behind those that a process has. */
export const letWait = (
  sql: Sql,
  app: string,
  name: string,
  sessions: ReadonlyArray<Pick<Given, "sessionId" | "last">>
) => sql`
  update consumer_leases l set last_cursor = greatest(l.last_cursor, g.last)
  from unnest(${sessions.map(({ sessionId }) => sessionId)}::text[], ${sessions.map(({ last }) => last)}::bigint[])
    as g(session_id, last)
  where l.app_id = ${app} and l.name = ${name} and l.session_id = g.session_id`

/** Everything up to this place has been given, or waits. */
export const advanceConsumer = (
  sql: Sql,
  app: string,
  name: string,
  place: { readonly position: number; readonly sessionId: string; readonly cursor: number; readonly trimmed: number }
) => sql`
  update consumers set feed_position = ${place.position}, feed_session = ${place.sessionId},
    feed_cursor = ${place.cursor}, trimmed = ${place.trimmed}
  where app_id = ${app} and name = ${name}`
