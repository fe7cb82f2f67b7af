import type { Sql } from "#src/db/postgres/Database.ts"

/** `messages`: user messages sent over HTTP. `requests`: all requests, including those. */
export type RatePolicy = "messages" | "requests"

/** The length of a window. It starts with the first lease after the previous window. */
export const WINDOW_SECONDS = 60

export interface LeaseRequest {
  readonly subject: string
  readonly policy: RatePolicy
  /** The default, unless the app has its own quota. */
  readonly quota: number
  /** What is needed at once. The lease adds the quota's share of one second for what comes next. */
  readonly want: number
}

export interface Lease {
  readonly granted: number
  readonly quota: number
  /** The part of the quota that was not leased yet. */
  readonly left: number
  /** Identifies the window. */
  readonly window: number
  /** Seconds until the window ends. */
  readonly seconds: number
}

/**
 * Leases parts of quotas, each up to what is wanted or left. Beyond its immediate needs, a process makes at most 60
 * leases per window. A batch must not contain the same subject and policy twice. "Now" is the start of the statement: a
 * window that began while it waited for the row must not look like one from a clock that was set back.
 */
export const writeLeases = (sql: Sql, batch: ReadonlyArray<LeaseRequest>) => sql<
  Array<Lease & { readonly subject: string; readonly policy: RatePolicy }>
>`
  insert into rate_windows as w (subject, policy, quota, ends_at, leased, granted)
  select l.subject, l.policy, q.quota,
    clock_timestamp() + ${WINDOW_SECONDS}::int * interval '1 second', q.granted, q.granted
  from unnest(${batch.map((l) => l.subject)}::text[],
    ${batch.map((l) => l.policy)}::text[],
      ${batch.map((l) => l.quota)}::int[], ${batch.map((l) => l.want)}::int[]) as l(subject, policy, quota, want)
  left join apps a on a.app_id = l.subject
  cross join lateral (select coalesce(case l.policy when 'messages' then a.messages_per_minute end, l.quota) as quota) o
  cross join lateral (select o.quota,
    least(l.want + ceil(o.quota / ${WINDOW_SECONDS}::numeric)::int, o.quota) as granted) q
  order by l.subject, l.policy
  on conflict (subject, policy) do update set (quota, ends_at, leased, granted) = (
    select excluded.quota, case when over then excluded.ends_at else w.ends_at end, before + least(excluded.granted,
      room), least(excluded.granted, room)
    from (select w.ends_at <= excluded.ends_at -
      ${WINDOW_SECONDS}::int * interval '1 second'
        or w.ends_at > excluded.ends_at + ${WINDOW_SECONDS}::int * interval '1 second' as over) o
    cross join lateral (select case when over then 0 else w.leased end as before) b
    cross join lateral (select greatest(0, excluded.quota - before) as room) r
  )
  returning subject, policy, granted, quota, greatest(0, quota - leased) as left, extract(epoch
    from ends_at)::float8 as window,
    greatest(0, extract(epoch from ends_at - clock_timestamp()))::float8 as seconds`
