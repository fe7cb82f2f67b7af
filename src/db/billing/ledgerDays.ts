import type { Sql } from "#src/db/postgres/Database.ts"

/** The pictures of an entry: one each, less those that were refunded. */
const picturesOf = (sql: Sql) => sql`case when l.entry = 'settle' and l.activity = 'image'
  then coalesce(l.pictures, sign(l.amount_micro_usd)::int) else 0 end`

/**
 * What these apps have used from one time up to another, as rows to be summed up (app_id, session_id, at, activity,
 * turns, pictures, micro_usd, unpriced): the entries of the ledger, and the days that were summed up. A day counts at
 * its start.
 */
export const usedBetween = (sql: Sql, apps: ReadonlyArray<string>, from: string, to: string) => sql`
  select l.app_id, l.session_id, l.at, l.activity, (l.entry = 'hold')::int as turns, ${picturesOf(sql)} as pictures,
    case when l.entry = 'settle' then l.amount_micro_usd else 0 end as micro_usd,
    coalesce(l.unpriced, false) as unpriced
  from ledger l
  where l.app_id = any(${[...apps]}::text[]) and l.at >= ${from}::text::timestamptz
    and l.at < ${to}::text::timestamptz
  union all
  select d.app_id, nullif(d.session_id, ''), d.day::timestamp at time zone 'utc', d.activity, d.turns, d.pictures,
    d.settled_micro_usd, d.unpriced
  from ledger_days d
  where d.app_id = any(${[...apps]}::text[])
    and d.day >= (${from}::text::timestamptz at time zone 'utc')::date
    and d.day::timestamp at time zone 'utc' >= ${from}::text::timestamptz
    and d.day::timestamp at time zone 'utc' < ${to}::text::timestamptz`

/**
 * What models were used for by turns that ended in this time (app_id, session_id, at, activity, model, turns,
 * micro_usd, tokens, unpriced): one row for each turn and model, and one for each day that was summed up.
 */
export const modelsBetween = (sql: Sql, apps: ReadonlyArray<string>, from: string, to: string) => sql`
  select l.app_id, l.session_id, l.at, l.activity, s.model, 1 as turns,
    coalesce(sum(s.cost_micro_usd), 0)::int8 as micro_usd, coalesce(sum(s.input_tokens), 0)::int8 as input_tokens,
    coalesce(sum(s.cached_input_tokens), 0)::int8 as cached_input_tokens,
    coalesce(sum(s.output_tokens), 0)::int8 as output_tokens, coalesce(bool_or(s.unpriced), false) as unpriced
  from ledger l join turn_stages s using (app_id, session_id, turn_index)
  where l.app_id = any(${[...apps]}::text[]) and l.at >= ${from}::text::timestamptz
    and l.at < ${to}::text::timestamptz and l.entry = 'release'
  group by l.app_id, l.session_id, l.turn_index, l.at, l.activity, s.model
  union all
  select d.app_id, nullif(d.session_id, ''), d.day::timestamp at time zone 'utc', d.activity, nullif(d.model, ''),
    d.turns, d.cost_micro_usd, d.input_tokens, d.cached_input_tokens, d.output_tokens, d.unpriced
  from ledger_day_models d
  where d.app_id = any(${[...apps]}::text[])
    and d.day >= (${from}::text::timestamptz at time zone 'utc')::date
    and d.day::timestamp at time zone 'utc' >= ${from}::text::timestamptz
    and d.day::timestamp at time zone 'utc' < ${to}::text::timestamptz`

/** Adds the entries in `of` (rows of the ledger) to the sums by day. */
export const addToDays = (sql: Sql, of: string) => sql`
  insert into ledger_days as d (app_id, day, session_id, activity, turns, pictures, settled_micro_usd, held_micro_usd,
    unpriced)
  select l.app_id, (l.at at time zone 'utc')::date, coalesce(l.session_id, ''), l.activity,
    count(*) filter (where l.entry = 'hold'), sum(${picturesOf(sql)}),
    coalesce(sum(l.amount_micro_usd) filter (where l.entry = 'settle'), 0),
    coalesce(sum(l.amount_micro_usd) filter (where l.entry <> 'settle'), 0), coalesce(bool_or(l.unpriced), false)
  from ${sql(of)} l group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (app_id, day, session_id, activity) do update set turns = d.turns + excluded.turns,
    pictures = d.pictures + excluded.pictures,
    settled_micro_usd = d.settled_micro_usd + excluded.settled_micro_usd,
    held_micro_usd = d.held_micro_usd + excluded.held_micro_usd, unpriced = d.unpriced or excluded.unpriced`

/** Adds the stages of the turns whose entry `release` is in `of` to the sums by day and model. */
export const addToDayModels = (sql: Sql, of: string) => sql`
  insert into ledger_day_models as d (app_id, day, session_id, activity, model, turns, cost_micro_usd, input_tokens,
    cached_input_tokens, output_tokens, unpriced)
  select l.app_id, (l.at at time zone 'utc')::date, l.session_id, l.activity, coalesce(s.model, ''),
    count(distinct l.turn_index), coalesce(sum(s.cost_micro_usd), 0), coalesce(sum(s.input_tokens), 0),
    coalesce(sum(s.cached_input_tokens), 0), coalesce(sum(s.output_tokens), 0), coalesce(bool_or(s.unpriced), false)
  from ${sql(of)} l join turn_stages s using (app_id, session_id, turn_index) where l.entry = 'release'
  group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
  on conflict (app_id, day, session_id, activity, model) do update set turns = d.turns + excluded.turns,
    cost_micro_usd = d.cost_micro_usd + excluded.cost_micro_usd, input_tokens = d.input_tokens + excluded.input_tokens,
    cached_input_tokens = d.cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = d.output_tokens + excluded.output_tokens, unpriced = d.unpriced or excluded.unpriced`
