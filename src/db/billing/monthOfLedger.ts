import type { PageOf, Statement } from "#src/db/postgres/catalogue/Table.ts"

/**
 * What a person's sessions have cost in the next month in which the app has cost anything; no row without a cost or a
 * message of theirs. A month at a time, so that a long ledger is never read at once.
 */
export const monthOfLedger: Statement<PageOf> = (sql, { appId, externalUserRef, after }) => sql`
  with since as (
    select case ${after}::text when '' then '-infinity'::timestamptz
      else (to_date(${after}::text, 'YYYY-MM') + interval '1 month') at time zone 'utc' end as at
  ), month as (
    select least(
      (select date_trunc('month', l.at at time zone 'utc') from ledger l
        where l.app_id = ${appId} and l.at >= s.at order by l.at limit 1),
      (select date_trunc('month', d.day::timestamp) from ledger_days d
        where d.app_id = ${appId} and d.day::timestamp at time zone 'utc' >= s.at order by d.day limit 1)
    ) as first from since s
  ), entries as (
    select l.session_id, l.activity, (l.entry = 'hold')::int as turns, case when l.entry = 'settle'
      and l.activity = 'image' then coalesce(l.pictures, sign(l.amount_micro_usd)) else 0 end as pictures,
      case when l.entry = 'settle' then l.amount_micro_usd else 0 end as micro_usd
    from month m join ledger l on l.app_id = ${appId} and l.at >= m.first at time zone 'utc'
      and l.at < (m.first + interval '1 month') at time zone 'utc'
    union all
    select d.session_id, d.activity, d.turns, d.pictures, d.settled_micro_usd
    from month m join ledger_days d on d.app_id = ${appId} and d.day >= m.first::date
      and d.day < (m.first + interval '1 month')::date
  ), sums as (
    select coalesce(sum(l.turns) filter (where l.activity <> 'proactive'), 0)::int8 as messages,
      coalesce(sum(l.turns) filter (where l.activity = 'proactive'), 0)::int8 as proactive,
      coalesce(sum(l.pictures), 0) as images, coalesce(sum(l.micro_usd), 0) as cost_micro_usd
    from entries l join sessions s on s.app_id = ${appId} and s.session_id = l.session_id
      and s.external_user_ref = ${externalUserRef}
  )
  select to_char(m.first, 'YYYY-MM') as at,
    case when s.messages + s.proactive + s.images > 0 or s.cost_micro_usd <> 0 then json_build_object(
      'month', to_char(m.first, 'YYYY-MM'), 'messages', s.messages, 'proactive', s.proactive, 'images', s.images,
      'cost_usd', (s.cost_micro_usd / 1000000.0)::float8)::text end as row
  from month m, sums s where m.first is not null`
