import { PRICE_VERSION } from "#src/model/prices.ts"
import type { Sql } from "./Database.ts"

/**
 * Locks what limits these sessions: the rows of their apps, then those of their end-users.
 * Whoever moves money locks allowances, then sessions, each in order of its key, by statements that come before the write:
 * so the write's snapshot is younger than its locks; one bare statement would decide on what was true before it waited.
 */
export const lockAllowances = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) => sql`
  select 1 from allowances
  where (app_id, kind, external_user_ref) in (
    select app_id, 'app', '' from unnest(${apps}::text[]) as a(app_id)
    union
    select app_id, 'end_user', external_user_ref from sessions where (app_id, session_id) in (select * from unnest(${apps}::text[], ${sessions}::text[]))
  )
  order by app_id, kind, external_user_ref for no key update`

/** Counts what the moves in `of` (app_id, external_user_ref, today, this_month, sent) have used, in the rows of their apps and their end-users. */
export const countUse = (sql: Sql, of: string) => sql`
  update allowances a set day = utc_today(), day_used_micro_usd = greatest(0, day_used(a) + x.today), day_messages = day_sent(a) + x.sent,
    month_used_micro_usd = greatest(0, month_used(a) + x.this_month), messages = a.messages + x.sent,
    day_warned = case when a.day = utc_today() then a.day_warned else 0 end, month_warned = case when is_this_month(a.day) then a.month_warned else 0 end
  from (
    select app_id, 'app' as kind, '' as external_user_ref, sum(today)::bigint as today, sum(this_month)::bigint as this_month, sum(sent)::int as sent
    from ${sql(of)} group by app_id
    union all
    select app_id, 'end_user', external_user_ref, sum(today)::bigint, sum(this_month)::bigint, sum(sent)::int
    from ${sql(of)} group by app_id, external_user_ref
  ) x
  where a.app_id = x.app_id and a.kind = x.kind and a.external_user_ref = x.external_user_ref`

/** Enters the turns in `of` (app_id, run_ref, session_id, turn_index, reply_mode, and those named) in the ledger: each entry with the column that has its amount, where it is not 0. */
export const enterInLedger = (sql: Sql, of: string, entries: Readonly<Partial<Record<"hold" | "release" | "settle", string>>>) => sql`
  insert into ledger (app_id, run_ref, session_id, turn_index, activity, entry, amount_micro_usd, price_version)
  select t.app_id, t.run_ref, t.session_id, t.turn_index, 'message_' || t.reply_mode, e.entry, e.amount, ${PRICE_VERSION}
  from ${sql(of)} t cross join lateral (${Object.entries(entries).map(([entry, column]) => sql`select ${entry} as entry, ${entry === "release" ? sql`-t.${sql(column)}` : sql`t.${sql(column)}`} as amount`)
    .reduce((all, one) => sql`${all} union all ${one}`)}) e
  where e.amount <> 0`
