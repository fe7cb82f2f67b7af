import { recordUsage, insertLedgerEntries } from "#src/db/billing/moneyStatements.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { reservationSettlement } from "./endReservation.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { booked, writeStages } from "./stageRows.ts"

/** Why a proactive turn was withheld: the person has written. */
export const OVERTAKEN = "overtaken"

/**
 * Finished turns as columns. Events and stage rows are separate lists that refer to their turn by its index `of` (from
 * 1).
 */
export interface SettleColumns {
  readonly app: ReadonlyArray<string>
  readonly session: ReadonlyArray<string>
  readonly turn: ReadonlyArray<number>
  readonly owner: ReadonlyArray<string>
  readonly fence: ReadonlyArray<number>
  readonly outcome: ReadonlyArray<string>
  readonly reason: ReadonlyArray<string | null>
  readonly cost: ReadonlyArray<number>
  readonly stageCount: ReadonlyArray<number>
  readonly events: {
    readonly of: ReadonlyArray<number>
    readonly offset: ReadonlyArray<number>
    readonly id: ReadonlyArray<string>
    readonly type: ReadonlyArray<string>
    readonly role: ReadonlyArray<string>
    readonly payload: ReadonlyArray<string>
  }
  /** The stage rows of all turns as one JSON text, because they have many columns. */
  readonly stages: string
}

export interface SettleRow {
  /** Index in the batch, from 1. */
  readonly n: number
  readonly session_id: string
  readonly last_cursor: number
  readonly open_turns: number
}

export interface NewlySettledRow extends SettleRow {
  /** The turn ended with the given outcome, and its messages are on the log. */
  readonly as_meant: boolean
}

/**
 * The final write of finished turns: outcome, events, counters, money and stage rows, only if the turn is still held by
 * this owner and fence. A turn without a row in the result was taken over in the meantime, and nothing of it was
 * written. If its session has ended while the turn ran, the turn ends as exited and sends nothing more. If the person
 * has written in the meantime, a proactive turn ends as withheld.
 *
 * The conditions on all apps and sessions say nothing new. Without them, a plan from when few turns were open reads all
 * open turns, and all relationships.
 */
export const writeSettled = (sql: Sql, b: SettleColumns, priceVersion: string) => sql<Array<NewlySettledRow>>`
  with done as (
    select * from unnest(${b.app}::text[],
      ${b.session}::text[], ${b.turn}::int[], ${b.owner}::text[], ${b.fence}::int[],
        ${b.outcome}::text[], ${b.reason}::text[], ${b.cost}::bigint[], ${b.stageCount}::int[])
      with ordinality as d(app_id, session_id, turn_index, owner, fence, outcome, reason, cost_micro_usd, stages, n)
    cross join lateral (${booked(sql)}) booked
  ), said as (
    select * from unnest(${b.events.of}::int[],
      ${b.events.offset}::int[], ${b.events.id}::text[],
        ${b.events.type}::text[], ${b.events.role}::text[], ${b.events.payload}::text[])
      as e(n, place, id, type, role, payload)
  ), settled as (
    update turns t set owner = null, settled_at = now(), failure_reason = case when t.initiative is not null
      and l.turn_count > t.turn_index
        then ${OVERTAKEN} else d.reason end, cost_micro_usd = coalesce(t.cost_micro_usd,
          0) + d.cost_micro_usd - d.booked_micro_usd,
      outcome = case when l.status <> 'active' then 'exited' when t.initiative is not null
        and l.turn_count > t.turn_index then 'withheld' else d.outcome end
    from done d join session_logs l using (app_id, session_id) join sessions c using (app_id, session_id)
    where t.app_id = d.app_id and t.session_id = d.session_id and t.turn_index = d.turn_index
      and t.owner = d.owner and t.fence = d.fence and t.outcome is null
      and t.app_id = any(${b.app}::text[]) and t.session_id = any(${b.session}::text[])
    returning d.n, d.cost_micro_usd - d.booked_micro_usd as cost_micro_usd, t.app_id, t.session_id, t.turn_index,
      t.run_ref, t.traceparent, t.fence, t.source_kind, t.outcome, t.reply_mode,
        t.hold_micro_usd, t.reading_hold_micro_usd,
        t.accepted_at,
      c.external_user_ref, t.initiative is null as answers, d.outcome as meant, l.status as session_status,
        l.last_cursor, ${nextFeedPosition(sql, sql`l.feed_position`)} as position
  ), appended as (
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, traceparent,
      feed_position)
    select s.app_id, s.session_id, s.last_cursor + e.place, e.id, e.type, e.role, s.run_ref, s.source_kind,
      e.payload::json, s.traceparent, s.position
    from settled s join said e using (n) where s.session_status = 'active' and s.outcome = s.meant
    returning session_id, type, payload
  ), counted as (
    update session_logs l set open_turns = l.open_turns - 1,
      last_cursor = l.last_cursor + x.events,
      feed_position = case when x.events > 0 then x.position else l.feed_position end,
      unanswered_character_turns = l.unanswered_character_turns + case when x.spoken > 0 then 1 else 0 end,
      last_character_at = case when x.spoken > 0 then now() else l.last_character_at end,
      status = case when x.exit_reason is null then l.status else 'exited' end,
      exited_at = case when x.exit_reason is null then l.exited_at else now() end,
      exit_reason = coalesce(l.exit_reason, x.exit_reason)
    from (
      select s.app_id, s.session_id, count(a.type) as events, max(s.position) as position,
        count(*) filter (where a.type in ('message.created', 'character.initiated')) as spoken,
        max(a.payload ->> 'reason_code') filter (where a.type = 'session.exited') as exit_reason
      from settled s left join appended a using (session_id) group by 1, 2
    ) x
    where l.app_id = x.app_id and l.session_id = x.session_id
    returning l.session_id, l.last_cursor, l.open_turns
  ), heard as (
    update relationships r set initiate_at = now(), awaits_word = false from settled s
    where r.app_id = s.app_id and r.session_id = s.session_id and r.awaits_word and s.answers
      and r.app_id = any(${b.app}::text[]) and r.session_id = any(${b.session}::text[])
  ), moves as (
    ${reservationSettlement(sql, "settled", sql`cost_micro_usd`)}
  ), counted_use as (
    ${recordUsage(sql, "moves")}
  ), released as (
    ${insertLedgerEntries(sql, "settled", "release", sql`reading_hold_micro_usd - hold_micro_usd`)}
  ), entered as (
    ${insertLedgerEntries(sql, "settled", "settle", sql`cost_micro_usd`, priceVersion)}
  ), traced as (
    ${writeStages(sql, b.stages, "settled")}
  )
  select s.n::int, s.session_id, c.last_cursor, c.open_turns, s.session_status = 'active'
    and s.outcome = s.meant as as_meant from settled s join counted c using (session_id)`

/**
 * Which of these were already settled in this attempt: by an earlier try whose commit answer was lost, or by the end of
 * the session after the turn had been given up.
 */
export const findSettled = (sql: Sql, b: SettleColumns) => sql<Array<SettleRow>>`
  select d.n::int, session_id, l.last_cursor, l.open_turns
  from unnest(${b.app}::text[], ${b.session}::text[],
    ${b.turn}::int[], ${b.fence}::int[]) with ordinality as d(app_id, session_id, turn_index, fence, n)
  join turns t using (app_id, session_id, turn_index, fence) join session_logs l using (app_id, session_id)
  where t.outcome is not null`
