import type postgres from "postgres"
import { PRICE_VERSION } from "#src/model/prices.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { isNoShadow } from "#src/db/tenancy/shadow.ts"

/** What limits these sessions: the rows of their apps and those of their end-users, by key. */
const limitsOf = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string | null>) => sql`
  (app_id, kind, external_user_ref) in (
    select app_id, 'app', '' from unnest(${apps}::text[]) as a(app_id)
    union
    select app_id, 'end_user', external_user_ref from sessions where (app_id, session_id) in (select *
      from unnest(${apps}::text[], ${sessions}::text[]))
  )`

/**
 * Locks what limits these sessions: the rows of their apps, then those of their end-users.
 * Whoever moves money locks allowances, then sessions, each in order of its key, by statements that come before the
 * write: so the write's snapshot is younger than its locks; one bare statement would decide on what was true before it
 * waited.
 */
export const lockAllowances = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string | null>) => sql`
  select 1 from allowances where
    ${limitsOf(sql, apps, sessions)} order by app_id, kind, external_user_ref for no key update`

/** Locks these sessions, after the allowances, in order of id: see lockAllowances. Gives those that exist. */
export const lockSessions = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) =>
  sql`
    select session_id from session_logs
    where (app_id, session_id) in (select * from unnest(${apps}::text[], ${sessions}::text[]))
    order by app_id, session_id for no key update`

/** Whether something limits what may be spent on the turn `t` (app_id, external_user_ref). */
export const isLimited = (sql: Sql, t: postgres.PendingQuery<postgres.Row[]>) => sql`
  exists (select from allowances a
    where a.app_id = ${t}.app_id and (a.kind = 'app' and a.external_user_ref = '' or a.kind = 'end_user'
      and a.external_user_ref = ${t}.external_user_ref))`

/**
 * Locks the allowances of these sessions, and then, once these have been counted, the sessions: one statement. Says
 * whether anybody is limited.
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

/** The same for an app and an end-user of it, by the names that they have there. */
export const lockAllowancesOf = (sql: Sql, app: string, externalUserRefs: ReadonlyArray<string>) => sql`
  select 1 from allowances where app_id =
    ${app} and (kind = 'app' or kind = 'end_user' and external_user_ref = any(${[...externalUserRefs]}::text[]))
  order by app_id, kind, external_user_ref for no key update`

/** What moves (at, amount, sent) come to in each of the periods that are counted. */
const perPeriod = (sql: Sql) => sql`
  coalesce(sum(amount) filter (where (at at time zone 'utc')::date = utc_today()), 0)::bigint as today,
  coalesce(sum(amount) filter (where is_this_month((at at time zone 'utc')::date)), 0)::bigint as this_month,
  sum(amount)::bigint as in_all, sum(sent)::int as sent`

/**
 * Counts what the moves in `of` (app_id, external_user_ref, at, amount, sent) have used, in the rows of their apps and
 * their end-users.
 */
export const countUse = (sql: Sql, of: string) => sql`
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

/** Counts pictures for the end-user of a session, whose allowance is held locked. */
export const countPictures = (sql: Sql, app: string, session: string | null, pictures: number) => sql`
  update allowances a set images_on = utc_today(), day_images = greatest(0, day_imaged(a) + ${pictures}::int)
  from sessions c where c.app_id =
    ${app} and c.session_id = ${session} and a.app_id = c.app_id and a.kind = 'end_user'
      and a.external_user_ref = c.external_user_ref`

/** Counts anew how many pictures the end-users of an app had today, by the ledger. */
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
 * `release` gives back what was held for a turn when it ends, but for what is held for the reading of it: that is
 * `release_reading`.
 */
export type LedgerEntry = "hold" | "release" | "release_reading" | "settle"

/**
 * `priceVersion`: the prices that the amount was reckoned by. What is given back was reckoned when it was held. Enters
 * an amount for each of the turns in `of` (app_id, run_ref, session_id, turn_index, reply_mode, source_kind) in the
 * ledger. Those of evals are not: their run is booked as an expense of its app.
 */
export const enterInLedger = (
  sql: Sql,
  of: string,
  entry: LedgerEntry,
  amount: postgres.PendingQuery<postgres.Row[]>,
  priceVersion: string = PRICE_VERSION
) => sql`
  insert into ledger (app_id, run_ref, session_id, turn_index, activity, entry, amount_micro_usd, price_version)
  select app_id, run_ref, session_id, turn_index, case source_kind when 'proactive' then 'proactive'
    else 'message_' || reply_mode end, ${entry}, ${amount}, ${priceVersion} from ${sql(of)} where ${isNoShadow(sql)}`

/**
 * Counts what is used of all allowances of an app, which the caller holds locked, by the ledger and by what is held for
 * turns that are open, wherever these still tell it. The whole ledger is read only where something limits the app over
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
