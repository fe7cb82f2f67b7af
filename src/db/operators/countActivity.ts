import { WAIT_SCALE } from "#src/health/waitScale.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"

/** The length of a period. */
export const PERIOD = "5 minutes"
/** At most this many replies of a step are looked up for their times. With more, these are a sample. */
const SAMPLE = 5000
/** A reply is of one of the latest turns of its session. */
const TURNS = 20

/**
 * Counts the periods from one time up to another, in place of what was counted of them before. Events and attempts are
 * found by their time through BRIN indexes, the ledger app by app. The time of a reply ends when it is on the log: how
 * long a receiver takes to accept it says nothing about the server.
 */
export const countActivity = (sql: Sql, from: Date, to: Date) => sql`
  with range as (
    select ${from.toISOString()}::timestamptz as a, ${to.toISOString()}::timestamptz as z
  ), said as (
    select date_bin(${PERIOD}::interval, created_at, 'epoch') as at, count(*) filter (where role = 'user') as incoming,
      count(*) filter (where role = 'character') as outgoing
    from events
    where created_at >= (select a from range) and created_at < (select z from range)
      and type in ('message.created', 'character.initiated') and ${isNotShadow(sql)} group by 1
  ), tried as (
    select date_bin(${PERIOD}::interval, started_at, 'epoch') as at, count(*) filter (where outcome = 'sent') as sent,
      count(*) filter (where outcome = 'unknown') as unknown, count(*) filter (where outcome = 'expired') as expired
    from delivery_attempts
    where started_at >= (select a from range) and started_at < (select z from range) group by 1
  ), replied as (
    select app_id, session_id, trace_id, created_at from events
    where created_at >= (select a from range) and created_at < (select z from range)
      and type = 'message.created' and role = 'character' and ${isNotShadow(sql)}
    limit ${SAMPLE}::int
  ), waited as (
    select date_bin(${PERIOD}::interval, r.created_at, 'epoch') as at,
      least(${WAIT_SCALE.steps}::int, greatest(0, ceil(ln(greatest(1,
        extract(epoch from r.created_at - t.accepted_at) * 1000 / ${WAIT_SCALE.firstMs}::int)
          ) / ln(${WAIT_SCALE.ratio}::numeric))))::int as step
    from replied r cross join lateral (
      select accepted_at from (
        select accepted_at, run_ref from turns t where t.app_id = r.app_id and t.session_id = r.session_id
        order by turn_index desc limit ${TURNS}::int
      ) t where t.run_ref = r.trace_id limit 1
    ) t
  ), waits as (
    select at, jsonb_object_agg(step, n) as waits from (select at, step, count(*) as n from waited group by 1, 2) w
    group by 1
  ), spent as (
    select date_bin(${PERIOD}::interval, l.at, 'epoch') as at, sum(l.amount_micro_usd)::int8 as micro_usd
    from apps p cross join lateral (
      select at, amount_micro_usd from ledger l where l.app_id = p.app_id and l.entry = 'settle'
        and l.at >= (select a from range) and l.at < (select z from range)
    ) l
    group by 1
  )
  insert into activity (at, messages_in, messages_out, sent, unknown, expired, spent_micro_usd, waits)
  select b.at, coalesce(s.incoming, 0), coalesce(s.outgoing, 0), coalesce(d.sent, 0), coalesce(d.unknown, 0),
    coalesce(d.expired, 0), coalesce(m.micro_usd, 0), coalesce(w.waits, '{}')
  from range, generate_series(range.a, range.z, ${PERIOD}::interval) as b(at)
  left join said s on s.at = b.at left join tried d on d.at = b.at left join waits w on w.at = b.at
  left join spent m on m.at = b.at
  where b.at < range.z
  on conflict (at) do update set messages_in = excluded.messages_in, messages_out = excluded.messages_out,
    sent = excluded.sent, unknown = excluded.unknown, expired = excluded.expired,
    spent_micro_usd = excluded.spent_micro_usd, waits = excluded.waits`

/** Counts what there is, without the apps of the service itself. */
export const countFleet = (sql: Sql) => sql`
  insert into fleet_counts (singleton, at, apps, bots, webhooks)
  select true, now(), (select count(*) from apps where ${isNotShadow(sql)}),
    (select count(*) from telegram_bots where status not in ('detached', 'awaiting_creation')),
    (select count(*) from channels where not paced and status <> 'deleted' and ${isNotShadow(sql)})
  on conflict (singleton) do update set at = excluded.at, apps = excluded.apps, bots = excluded.bots,
    webhooks = excluded.webhooks`
