import type postgres from "postgres"
import type { RefusalReason } from "#pipeline/Inbox.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { recordUsage, insertLedgerEntries } from "#src/db/billing/moneyStatements.ts"
import { isMoving } from "#src/db/tenancy/isSuspended.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { addTurnJobs } from "./turnJobs.ts"

type Fragment = postgres.PendingQuery<postgres.Row[]>

/** A batch of sends as columns, in order of arrival. */
export interface AcceptColumns {
  readonly app: ReadonlyArray<string>
  readonly session: ReadonlyArray<string>
  readonly key: ReadonlyArray<string | null>
  readonly mode: ReadonlyArray<string>
  readonly source: ReadonlyArray<string>
  /** Without the part that depends on the character. */
  readonly reservation: ReadonlyArray<number>
  readonly extractionReservation: ReadonlyArray<number>
  /** What a million bytes of the character's profile add to the reservation. */
  readonly perCharacterMegabyte: ReadonlyArray<number>
  readonly fault: ReadonlyArray<string | null>
  readonly run: ReadonlyArray<string>
  readonly saidId: ReadonlyArray<string>
  readonly said: ReadonlyArray<string>
  readonly statusId: ReadonlyArray<string | null>
  readonly status: ReadonlyArray<string | null>
  readonly traceparent: ReadonlyArray<string | null>
  /** Whether the key occurred earlier in this batch: 1 or 0. */
  readonly repeated: ReadonlyArray<number>
}

export interface AcceptedRow {
  readonly answer: "accepted" | "replay"
  readonly session_id: string
  readonly cursor: number
  readonly turn_index: number
  readonly run_ref: string
  readonly reply_mode: "fast" | "deep"
  readonly last_cursor: number
  readonly hold_micro_usd: number
}

/** What was accepted before, under the same key. */
export type ReplayRow = Omit<AcceptedRow, "last_cursor" | "hold_micro_usd">

export interface RefusedRow {
  /** `app_moves`: the app is moving to another cell, which takes the message later. */
  readonly answer: RefusalReason | "app_moves"
  readonly hold_micro_usd: number
}

/** A send whose key occurred earlier in the same batch. It gets the answer of the first one. */
export interface RepeatRow {
  readonly answer: "repeat"
}

/** Maximum number of unanswered turns in one session. */
export const MAX_OPEN_TURNS = 500

/** The verdict on a send if no limit applies. */
const judged = (sql: Sql) => sql`
  ), judged as (
    select *, case verdict when 'open' then 'accepted' else verdict end as answer from verdict`

/**
 * The verdict on a send by the limits of its app and end-user, including what earlier sends in the batch use. The
 * remaining amount is computed once per app and end-user. Each is looked up by key separately: a plan from a time when
 * nobody was limited would otherwise read the limits of all apps.
 */
const judgedByLimits = (sql: Sql) => sql`
  ), app_limits as (
    select a.* from (select distinct app_id from verdict) v cross join lateral (
      select x.app_id, message_length_limit, message_limit - messages as app_messages_left,
        case when hard_stop then least(daily_limit_micro_usd - day_used(x), monthly_limit_micro_usd - month_used(x),
          total_limit_micro_usd - total_used_micro_usd) end as app_money_left
      from allowances x where x.app_id = v.app_id and kind = 'app' and external_user_ref = '' limit 1
    ) a
  ), own_limits as (
    select u.app_id, u.external_user_ref, coalesce(u.daily_message_limit,
      d.daily_message_limit) - u.sent as own_messages_left,
      least(coalesce(u.daily_limit_micro_usd, d.daily_limit_micro_usd) - u.used_today,
        coalesce(u.monthly_limit_micro_usd, d.monthly_limit_micro_usd) - u.used_this_month) as own_money_left
    from (select distinct app_id, external_user_ref from verdict) v cross join lateral (
      select x.*, day_sent(x) as sent, day_used(x) as used_today, month_used(x) as used_this_month
      from allowances x where x.app_id = v.app_id and kind = 'end_user' and x.external_user_ref = v.external_user_ref
        limit 1
    ) u
    left join lateral (select * from allowances x where x.app_id = u.app_id and kind = 'default'
      and external_user_ref = '' limit 1) d on true
  ), limited as (
    select v.*, message_length_limit, app_messages_left, app_money_left, own_messages_left, own_money_left,
      a.app_id is not null or u.app_id is not null as is_limited,
      case when message_length_limit is null then false else length(v.said::json ->> 'text') > message_length_limit
        end as too_long
    from verdict v left join app_limits a on a.app_id = v.app_id left join own_limits u on u.app_id = v.app_id
      and u.external_user_ref = v.external_user_ref
  ), asked as (
    select n,
      (count(*) filter (where verdict = 'open' and not too_long) over before_in_app)::int as app_messages,
      (coalesce(sum(hold_micro_usd) filter (where verdict = 'open' and not too_long) over before_in_app,
        0) + greatest(hold_micro_usd, 1))::bigint as app_money,
      (count(*) filter (where verdict = 'open' and not too_long) over before_of_user)::int as own_messages,
      (coalesce(sum(hold_micro_usd) filter (where verdict = 'open' and not too_long) over before_of_user,
        0) + greatest(hold_micro_usd, 1))::bigint as own_money
    from limited where is_limited
    window before_in_app as (partition by app_id order by n rows between unbounded preceding and 1 preceding),
      before_of_user as (partition by app_id, external_user_ref order by n rows between unbounded preceding
        and 1 preceding)
  ), judged as (
    select *, case
      when verdict not in ('open', 'session_exited', 'end_user_blocked') then verdict
      when app_messages >= app_messages_left then 'message_limit_reached'
      when too_long then 'message_too_long'
      when verdict <> 'open' then verdict
      when app_money > app_money_left then 'budget_exceeded'
      when own_messages >= own_messages_left or own_money > own_money_left then 'end_user_cap_exceeded'
      else 'accepted' end as answer
    from limited left join asked using (n)`

/** If models are free, the character is not looked up. */
const isFree = ({ perCharacterMegabyte }: AcceptColumns) => perCharacterMegabyte.every((rate) => rate === 0)
const byCharacter = (sql: Sql, b: AcceptColumns) =>
  isFree(b) ? sql`` : sql` + (coalesce(v.prompt_bytes, 0) * s.per_character_megabyte + 999999) / 1000000`
const characterOf = (sql: Sql, b: AcceptColumns) =>
  isFree(b)
    ? sql``
    : sql`
    left join characters k on k.app_id = c.app_id and k.slug = c.character_slug
    left join character_versions v on v.app_id = k.app_id and v.slug = k.slug and v.version = k.version`

/** What was sent under a key. Of a turn that is no longer kept, the key still is. */
const sentBefore = (sql: Sql, app: Fragment, session: Fragment, key: Fragment) => sql`
  select x.session_id, x.cursor, x.turn_index, x.run_ref, x.reply_mode from turns x
    where x.app_id = ${app} and x.session_id = ${session} and x.client_message_id = ${key}
  union all
  select k.session_id, k.cursor, k.turn_index, k.run_ref, k.reply_mode from sent_keys k
    where k.app_id = ${app} and k.session_id = ${session} and k.client_message_id = ${key}`

const countedUse = (sql: Sql) => sql`
  ), moves as (
    select app_id, external_user_ref, now() as at, hold_micro_usd as amount, 1 as sent from numbered where is_limited
  ), counted_use as (
    ${recordUsage(sql, "moves")}`

/**
 * Accepts a whole batch, against rows that the transaction has locked. Each row gets its own verdict. A refused row
 * writes nothing and does not affect the others. A send by `api` logs two events, by another channel one. `woken` must
 * return its row even if nothing is accepted, because it is joined to the answers. Limits are only looked up and
 * counted if the batch is `limited`, because planning and starting that large a statement costs more than the rest. A
 * run_ref that already exists is our own earlier try whose commit answer was lost: it counts as accepted.
 */
export const writeAccepted = (sql: Sql, b: AcceptColumns, limited: boolean, priceVersion: string) => sql<
  Array<AcceptedRow | RefusedRow | RepeatRow>
>`
  with send as (
    select s.*, s.base_hold_micro_usd +
      s.reading_hold_micro_usd${byCharacter(sql, b)} as hold_micro_usd, c.external_user_ref, p.blocked,
        l.status as session_status, l.last_cursor, l.feed_position, l.turn_count, l.open_turns,
      o.cursor as old_cursor, o.turn_index as old_index, o.run_ref as old_run, o.reply_mode as old_mode,
      case when s.status_id is null then 1 else 2 end as width
    from unnest(${b.app}::text[], ${b.session}::text[],
      ${b.key}::text[], ${b.mode}::text[],
        ${b.source}::text[], ${b.reservation}::bigint[],
          ${b.extractionReservation}::bigint[], ${b.perCharacterMegabyte}::bigint[], ${b.fault}::text[],
        ${b.run}::text[], ${b.saidId}::text[],
          ${b.said}::text[], ${b.statusId}::text[], ${b.status}::text[], ${b.traceparent}::text[], ${b.repeated}::int[])
      with ordinality as s(app_id, session_id, client_message_id, reply_mode, source_kind, base_hold_micro_usd,
        reading_hold_micro_usd, per_character_megabyte, fault, run_ref, said_id, said, status_id, generating,
          traceparent, repeated,
          n)
    left join session_logs l using (app_id, session_id)
    left join sessions c using (app_id, session_id)${characterOf(sql, b)}
    left join end_users p on p.app_id = c.app_id and p.external_user_ref = c.external_user_ref
    left join lateral (
      ${sentBefore(sql, sql`s.app_id`, sql`s.session_id`, sql`s.client_message_id`)} limit 1
    ) o on true
  ), verdict as (
    select *, case
      when ${isMoving(sql, sql`app_id`)} then 'app_moves'
      when session_status is null then 'session_not_found'
      when old_run is not null then 'replay'
      when repeated = 1 then 'repeat'
      when session_status <> 'active' then 'session_exited'
      when blocked then 'end_user_blocked'
      else 'open' end as verdict
    from send
${limited ? judgedByLimits(sql) : judged(sql)}
  ), queued as (
    select *, row_number() over (partition by app_id, session_id, answer
      order by n) + open_turns > ${MAX_OPEN_TURNS} as queue_full from judged
  ), numbered as (
    select *, turn_count + row_number() over w as turn_index, last_cursor + sum(width) over w - width + 1 as cursor,
      ${nextFeedPosition(sql, sql`feed_position`)} as position
    from queued where answer = 'accepted' and not queue_full
    window w as (partition by app_id, session_id order by n)
  ), counted as (
    update session_logs l set last_cursor = l.last_cursor + x.events, feed_position = x.position,
      turn_count = l.turn_count + x.turns, open_turns = l.open_turns + x.turns,
      unanswered_character_turns = 0, last_user_at = now()
    from (select app_id, session_id, count(*)::int as turns, sum(width) as events,
      max(position) as position from numbered group by 1, 2) x
    where l.app_id = x.app_id and l.session_id = x.session_id
    returning l.session_id, l.last_cursor
${limited ? countedUse(sql) : sql``}
  ), entered as (
    ${insertLedgerEntries(sql, "numbered", "hold", sql`hold_micro_usd`, priceVersion)}
  ), said as (
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, traceparent,
      feed_position)
    select app_id, session_id, cursor, said_id, 'message.created', 'user', run_ref, source_kind, said::json,
      traceparent, position from numbered
    union all
    select app_id, session_id, cursor + 1, status_id, 'run.status', 'character', run_ref, source_kind, generating::json,
      traceparent, position
      from numbered where status_id is not null
  ), opened as (
    insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, client_message_id, source_kind,
      hold_micro_usd, reading_hold_micro_usd, fault, traceparent)
    select app_id, session_id, turn_index, run_ref, cursor, reply_mode, client_message_id, source_kind, hold_micro_usd,
      reading_hold_micro_usd, fault, traceparent from numbered
  ), woken as (
    select case when exists (select from numbered) then ${addTurnJobs(
      sql,
      sql`select distinct app_id, session_id
      from numbered`
    )} end
  )
  select case when f.answer = 'accepted' and f.queue_full then 'turn_queue_full' else f.answer end as answer,
    f.session_id, coalesce(f.old_cursor, x.cursor)::int8 as cursor, coalesce(f.old_index,
      x.turn_index)::int as turn_index,
    coalesce(f.old_run, x.run_ref) as run_ref, coalesce(f.old_mode, x.reply_mode) as reply_mode,
      coalesce(c.last_cursor, f.last_cursor)::int8 as last_cursor, f.hold_micro_usd
  from queued f left join numbered x using (n) left join counted c on c.session_id = f.session_id, woken
  order by f.n`

/** What was accepted under a sender's key. */
export const findReplay = (sql: Sql, app: string, session: string, key: string) => sql`
  select 'replay' as answer, session_id, cursor, turn_index, run_ref, reply_mode
  from (${sentBefore(sql, sql`${app}::text`, sql`${session}::text`, sql`${key}::text`)}) x`

/**
 * What an earlier try of the same send has written, if it was committed. The caller holds the session's lock, so no
 * commit is still in progress.
 */
export const findAccepted = (sql: Sql, app: string, session: string, run: string) => sql<Array<AcceptedRow>>`
  select 'accepted' as answer, t.session_id, t.cursor, t.turn_index, t.run_ref, t.reply_mode, l.last_cursor,
    t.hold_micro_usd
  from turns t join session_logs l using (app_id, session_id)
  where t.app_id = ${app} and t.session_id = ${session} and t.run_ref = ${run}`
