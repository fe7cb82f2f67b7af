import type { Sql } from "#src/db/postgres/Database.ts"

/** Adds the entries of the ledger from one time up to, but not including, another. */
export const addUsage = (sql: Sql, from: string, to: string) => sql`
  with entries as materialized (
    select l.app_id, l.at, (l.at at time zone 'utc')::date as day, l.activity, l.entry, l.amount_micro_usd,
      l.session_id, l.turn_index
    from ledger l join app_figures f using (app_id)
    where l.at >= ${from}::text::timestamptz and l.at < ${to}::text::timestamptz
  ), ended as materialized (
    select e.app_id, e.at, e.day, e.activity, e.session_id, e.turn_index, (t.outcome = 'failed')::int as failed
    from entries e join turns t using (app_id, session_id, turn_index) where e.entry = 'release'
  ), kinds as (
    insert into usage_days as u (app_id, day, dimension, name, micro_usd, turns, failed)
    select app_id, day, 'kind', activity, sum(micro_usd), sum(turns), sum(failed) from (
      select app_id, day, activity, amount_micro_usd as micro_usd, 0 as turns, 0 as failed from entries
        where entry = 'settle'
      union all
      select app_id, day, activity, 0, 1, failed from ended
    ) x group by app_id, day, activity
    on conflict (app_id, day, dimension, name) do update set micro_usd = u.micro_usd + excluded.micro_usd,
      turns = u.turns + excluded.turns, failed = u.failed + excluded.failed
  ), models as (
    insert into usage_days as u (app_id, day, dimension, name, micro_usd, turns, failed, input_tokens, output_tokens)
    select e.app_id, e.day, 'model', s.model, coalesce(sum(s.cost_micro_usd), 0),
      count(distinct (e.session_id, e.turn_index)),
      count(distinct (e.session_id, e.turn_index)) filter (where e.failed = 1),
      coalesce(sum(s.input_tokens), 0), coalesce(sum(s.output_tokens), 0)
    from ended e join turn_stages s using (app_id, session_id, turn_index) where s.model is not null
    group by e.app_id, e.day, s.model
    on conflict (app_id, day, dimension, name) do update set micro_usd = u.micro_usd + excluded.micro_usd,
      turns = u.turns + excluded.turns, failed = u.failed + excluded.failed,
      input_tokens = u.input_tokens + excluded.input_tokens, output_tokens = u.output_tokens + excluded.output_tokens
  ), hours as (
    insert into app_hours as h (app_id, hour, turns, failed)
    select app_id, date_trunc('hour', at), count(*), sum(failed) from ended group by 1, 2
    on conflict (app_id, hour) do update set turns = h.turns + excluded.turns, failed = h.failed + excluded.failed
  )
  update app_figures f set last_used_at = greatest(f.last_used_at, x.at)
  from (select app_id, max(at) as at from entries where entry = 'hold' group by app_id) x
  where f.app_id = x.app_id`

/** Adds the attempts through webhooks that began in this time. */
export const addAttempts = (sql: Sql, from: string, to: string) => sql`
  insert into channel_hours as h (app_id, channel_id, hour, attempts, failures)
  select a.app_id, a.channel_id, date_trunc('hour', a.started_at), count(*), count(*) filter (where a.outcome <> 'sent')
  from delivery_attempts a join channel_figures f using (app_id, channel_id)
  where a.started_at >= ${from}::text::timestamptz and a.started_at < ${to}::text::timestamptz
  group by 1, 2, 3
  on conflict (app_id, channel_id, hour) do update set attempts = h.attempts + excluded.attempts,
    failures = h.failures + excluded.failures`

/** Writes what is new in the figures of apps. */
export const refreshApps = (sql: Sql) => sql`
  update app_figures f set spent_day_micro_usd = x.day_spent, spent_month_micro_usd = x.month_spent,
    turns_24h = x.turns, failed_24h = x.failed, last_used_at = x.used_at
  from (
    select o.app_id, coalesce(m.day_spent, 0) as day_spent, coalesce(m.month_spent, 0) as month_spent,
      coalesce(h.turns, 0) as turns, coalesce(h.failed, 0) as failed,
      greatest(o.last_used_at, k.used_at) as used_at
    from app_figures o
    left join (
      select app_id, sum(micro_usd)::int8 as month_spent,
        coalesce(sum(micro_usd) filter (where day = utc_today()), 0)::int8 as day_spent
      from usage_days where day >= date_trunc('month', utc_today())::date and dimension = 'kind' group by app_id
    ) m using (app_id)
    left join (
      select app_id, sum(turns)::int as turns, sum(failed)::int as failed from app_hours
      where hour > now() - interval '24 hours' group by app_id
    ) h using (app_id)
    left join (
      select app_id, max(last_used_at) as used_at from api_keys group by app_id
    ) k using (app_id)
  ) x
  where f.app_id = x.app_id and (f.spent_day_micro_usd, f.spent_month_micro_usd, f.turns_24h, f.failed_24h,
    f.last_used_at) is distinct from (x.day_spent, x.month_spent, x.turns, x.failed, x.used_at)`

/** The same for channels. */
export const refreshChannels = (sql: Sql) => sql`
  update channel_figures f set attempts_24h = x.attempts, failures_24h = x.failures,
    failures_per_million = case when x.attempts = 0 then 0 else x.failures::int8 * 1000000 / x.attempts end
  from (
    select app_id, channel_id, coalesce(h.attempts, 0) as attempts, coalesce(h.failures, 0) as failures
    from (select app_id, channel_id from channel_figures where attempts_24h > 0) o
    full join (
      select app_id, channel_id, sum(attempts)::int as attempts, sum(failures)::int as failures from channel_hours
      where hour > now() - interval '24 hours' group by app_id, channel_id
    ) h using (app_id, channel_id)
  ) x
  where f.app_id = x.app_id and f.channel_id = x.channel_id
    and (f.attempts_24h, f.failures_24h) is distinct from (x.attempts, x.failures)`

/** Hours that no figure includes any more. */
export const dropOldHours = (sql: Sql) => sql`
  with apps as (delete from app_hours where hour < now() - interval '25 hours')
  delete from channel_hours where hour < now() - interval '25 hours'`
