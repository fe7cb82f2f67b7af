import type postgres from "postgres"
import { PRICE_VERSION } from "#src/model/prices.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"

/** The allowance rows of these sessions: those of their apps and their end-users, by key. */
const limitsOf = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string | null>) => sql`
  (app_id, kind, external_user_ref) in (
    select app_id, 'app', '' from unnest(${apps}::text[]) as a(app_id)
    union
    select app_id, 'end_user', external_user_ref from sessions where (app_id, session_id) in (select *
      from unnest(${apps}::text[], ${sessions}::text[]))
  )`

/**
 * Locks the allowances of these sessions: the rows of their apps, then those of their end-users. Every transaction that
 * moves money locks allowances, then sessions, each in key order, in statements before the write. So the write's
 * snapshot is newer than its locks. A single statement would decide on the state from before it waited.
 */
export const lockAllowances = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string | null>) => sql`
  select 1 from allowances where
    ${limitsOf(sql, apps, sessions)} order by app_id, kind, external_user_ref for no key update`

/** Locks these sessions in order of id, after the allowances: see lockAllowances. Returns those that exist. */
export const lockSessions = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) =>
  sql`
    select session_id from session_logs
    where (app_id, session_id) in (select * from unnest(${apps}::text[], ${sessions}::text[]))
    order by app_id, session_id for no key update`

/** Whether any limit applies to the spending on the turn `t` (app_id, external_user_ref). */
export const isLimited = (sql: Sql, t: postgres.PendingQuery<postgres.Row[]>) => sql`
  exists (select from allowances a
    where a.app_id = ${t}.app_id and (a.kind = 'app' and a.external_user_ref = '' or a.kind = 'end_user'
      and a.external_user_ref = ${t}.external_user_ref))`

/**
 * Locks the allowances of these sessions and then the sessions, in one statement. Returns whether any limit applies.
 */
export const lockForSends = async (
  sql: Sql,
  apps: ReadonlyArray<string>,
  sessions: ReadonlyArray<string>
): Promise<boolean> => {
  const [locked] = await sql<Array<{ limits: number; logs: number }>>`
    with limits as materialized (
      select 1 from allowances where
        ${limitsOf(sql, apps, sessions)} order by app_id, kind, external_user_ref for no key update
    ), logs as materialized (
      select 1 from session_logs where (select count(*) from limits) >= 0 and (app_id, session_id) in (select *
        from unnest(${apps}::text[], ${sessions}::text[]))
      order by app_id, session_id for no key update
    )
    select (select count(*) from limits)::int as limits, (select count(*) from logs)::int as logs`
  return locked?.limits !== 0
}

/** The same for an app and its end-users, by reference. */
export const lockAllowancesOf = (sql: Sql, app: string, externalUserRefs: ReadonlyArray<string>) => sql`
  select 1 from allowances where app_id =
    ${app} and (kind = 'app' or kind = 'end_user' and external_user_ref = any(${[...externalUserRefs]}::text[]))
  order by app_id, kind, external_user_ref for no key update`

/** The sums of the moves (at, amount, sent) in each counted period. */
const perPeriod = (sql: Sql) => sql`
  coalesce(sum(amount) filter (where (at at time zone 'utc')::date = utc_today()), 0)::bigint as today,
  coalesce(sum(amount) filter (where is_this_month((at at time zone 'utc')::date)), 0)::bigint as this_month,
  sum(amount)::bigint as in_all, sum(sent)::int as sent`

/** Adds the moves in `of` (app_id, external_user_ref, at, amount, sent) to the usage of their apps and end-users. */
export const recordUsage = (sql: Sql, of: string) => sql`
  update allowances a set day = utc_today(), day_used_micro_usd = greatest(0, day_used(a) + x.today),
    day_messages = day_sent(a) + x.sent,
    month_used_micro_usd = greatest(0, month_used(a) + x.this_month), total_used_micro_usd = greatest(0,
      a.total_used_micro_usd + x.in_all), messages = a.messages + x.sent,
    day_warned = case when a.day = utc_today() then a.day_warned else 0 end, month_warned = case
      when is_this_month(a.day) then a.month_warned else 0 end
  from (
    select app_id, 'app' as kind, '' as external_user_ref, ${perPeriod(sql)} from ${sql(of)} group by app_id
    union all
    select app_id, 'end_user', external_user_ref, ${perPeriod(sql)} from ${sql(of)} group by app_id, external_user_ref
  ) x
  where a.app_id = x.app_id and a.kind = x.kind and a.external_user_ref = x.external_user_ref`

/** Counts pictures for the end-user of a session. The caller holds the lock on their allowance. */
export const countPictures = (sql: Sql, app: string, session: string | null, pictures: number) => sql`
  update allowances a set images_on = utc_today(), day_images = greatest(0, day_imaged(a) + ${pictures}::int)
  from sessions c where c.app_id =
    ${app} and c.session_id = ${session} and a.app_id = c.app_id and a.kind = 'end_user'
      and a.external_user_ref = c.external_user_ref`

/** Recounts today's pictures of an app's end-users from the ledger. */
export const recountPictures = (sql: Sql, app: string) => sql`
  update allowances a set images_on = utc_today(), day_images = coalesce(x.pictures, 0)
  from allowances b left join (
    select c.external_user_ref, greatest(0, sum(coalesce(l.pictures, sign(l.amount_micro_usd))))::int as pictures
    from ledger l join sessions c using (app_id, session_id)
    where l.app_id = ${app} and l.at >= date_trunc('day', now(), 'utc') and l.activity = 'image' and l.entry = 'settle'
      group by 1
  ) x using (external_user_ref)
  where b.app_id = ${app} and b.kind = 'end_user' and is_this_month(b.sessions_erased_on) is not true
    and a.app_id = b.app_id and a.kind = b.kind and a.external_user_ref = b.external_user_ref`

/**
 * `release` refunds a turn's reservation when it ends, except the part for extraction, which `release_reading` refunds.
 */
export type LedgerEntry = "hold" | "release" | "release_reading" | "settle"

/**
 * Adds a ledger entry for each of the turns in `of` (app_id, run_ref, session_id, turn_index, reply_mode, source_kind),
 * except those of evals, whose run is booked as an expense of its app. `priceVersion`: the prices behind the amount. A
 * refund uses the version of its reservation.
 */
export const insertLedgerEntries = (
  sql: Sql,
  of: string,
  entry: LedgerEntry,
  amount: postgres.PendingQuery<postgres.Row[]>,
  priceVersion: string = PRICE_VERSION
) => sql`
  insert into ledger (app_id, run_ref, session_id, turn_index, activity, entry, amount_micro_usd, price_version)
  select app_id, run_ref, session_id, turn_index, case source_kind when 'proactive' then 'proactive'
    else 'message_' || reply_mode end, ${entry}, ${amount}, ${priceVersion} from ${sql(of)} where ${isNotShadow(sql)}`

/**
 * Recounts the usage in all allowances of an app, which the caller has locked, from the ledger and from the
 * reservations of open turns. The whole ledger, and what was summed up of it, is only read if the app has a limit over
 * all time.
 */
export const recount = (sql: Sql, app: string) => sql`
  with period as (
    select date_trunc('day', now(), 'utc') as day,
      case when exists (select from allowances
        where app_id = ${app} and total_limit_micro_usd is not null) then '-infinity' else date_trunc('month', now(),
          'utc') end as since
  ), moves as (
    select c.external_user_ref, l.at, l.amount_micro_usd as amount, 0 as sent
    from period p, ledger l left join sessions c using (app_id, session_id)
      where l.app_id = ${app} and l.at >= p.since and l.entry = 'settle'
    union all
    select c.external_user_ref, d.day::timestamp at time zone 'utc', d.settled_micro_usd, 0
    from period p, ledger_days d left join sessions c using (app_id, session_id)
      where d.app_id = ${app} and d.day::timestamp at time zone 'utc' >= p.since
    union all
    select c.external_user_ref, l.at, 0, 1
    from period p, ledger l left join sessions c using (app_id, session_id)
      where l.app_id = ${app} and l.at >= p.day and l.entry = 'hold' and l.activity <> 'proactive'
    union all
    select c.external_user_ref, t.accepted_at, t.hold_micro_usd, 0
    from period p, turns t join sessions c using (app_id, session_id)
      where t.app_id = ${app} and t.outcome is null and t.accepted_at >= p.since
    union all
    select c.external_user_ref, t.accepted_at, t.reading_hold_micro_usd, 0
    from period p, turns t join sessions c using (app_id, session_id)
      where t.app_id = ${app} and t.outcome is not null and t.reading_hold_micro_usd > 0 and t.accepted_at >= p.since
  ), used as (
    select 'app' as kind, '' as external_user_ref, ${perPeriod(sql)} from moves
    union all
    select 'end_user', external_user_ref, ${perPeriod(sql)} from moves where external_user_ref is not null group by 2
  )
  update allowances a set day = utc_today(), day_used_micro_usd = coalesce(x.today, 0),
    month_used_micro_usd = coalesce(x.this_month, 0), day_messages = coalesce(x.sent, 0),
    total_used_micro_usd = case when a.total_limit_micro_usd is null then a.total_used_micro_usd
      else coalesce(x.in_all, 0) end,
    day_warned = case when a.day = utc_today() then a.day_warned else 0 end, month_warned = case
      when is_this_month(a.day) then a.month_warned else 0 end
  from allowances b left join used x using (kind, external_user_ref)
  where b.app_id = ${app} and is_this_month(b.sessions_erased_on) is not true and a.app_id = b.app_id
    and a.kind = b.kind and a.external_user_ref = b.external_user_ref`
