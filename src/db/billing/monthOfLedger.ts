import type { PageOf, Statement } from "#src/db/postgres/catalogue/Table.ts"

/**
 * What a person's sessions have cost in the next month in which the app has cost anything; no row without a cost or a
 * message of theirs. A month at a time, so that a long ledger is never read at once.
 */
export const monthOfLedger: Statement<PageOf> = (sql, { appId, externalUserRef, after }) => sql`
  with month as (
    select date_trunc('month', at at time zone 'utc') as first from ledger
    where app_id = ${appId} and at >= case ${after}::text when '' then '-infinity'::timestamptz
      else (to_date(${after}::text, 'YYYY-MM') + interval '1 month') at time zone 'utc' end
    order by at limit 1
  ), sums as (
    select count(*) filter (where l.entry = 'hold' and l.activity <> 'proactive') as messages,
      count(*) filter (where l.entry = 'hold' and l.activity = 'proactive') as proactive,
      coalesce(sum(coalesce(l.pictures, sign(l.amount_micro_usd))) filter (where l.entry = 'settle'
        and l.activity = 'image'), 0) as images,
      coalesce(sum(l.amount_micro_usd) filter (where l.entry = 'settle'), 0) as cost_micro_usd
    from month m join ledger l on l.app_id = ${appId} and l.at >= m.first at time zone 'utc'
      and l.at < (m.first + interval '1 month') at time zone 'utc'
    join sessions s on s.app_id = l.app_id and s.session_id = l.session_id
      and s.external_user_ref = ${externalUserRef}
  )
  select to_char(m.first, 'YYYY-MM') as at,
    case when s.messages + s.proactive + s.images > 0 or s.cost_micro_usd <> 0 then json_build_object(
      'month', to_char(m.first, 'YYYY-MM'), 'messages', s.messages, 'proactive', s.proactive, 'images', s.images,
      'cost_usd', (s.cost_micro_usd / 1000000.0)::float8)::text end as row
  from month m, sums s`
