import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"
import { countUse, enterInLedger } from "#src/db/billing/moneyStatements.ts"

/**
 * What the stage rows that are now written for the attempt `d` were booked with before: so the cost of a turn is the
 * sum of its rows, in whatever order bookings come. Asked under the session's lock, which every writer of money holds.
 */
const booked = (sql: Sql) => sql`
  select coalesce(sum(b.cost_micro_usd), 0)::bigint as booked_micro_usd from turn_stages b
  where b.app_id = d.app_id and b.session_id = d.session_id and b.turn_index = d.turn_index and b.fence = d.fence
    and b.seq < d.stages`

/**
 * What the turns in `of` move when they end: what they have cost by now, and back what was held for them from when it
 * was.
 */
const endOfHold = (sql: Sql, of: string, cost: postgres.PendingQuery<postgres.Row[]>) => sql`
  select app_id, external_user_ref, now() as at, ${cost} as amount, 0 as sent from ${sql(of)}
  union all
  select app_id, external_user_ref, accepted_at, reading_hold_micro_usd - hold_micro_usd, 0 from ${sql(of)}`

/** Writes the stage rows of the turns in `of`, over what an earlier write has said of them. */
const trace = (sql: Sql, stages: string, of: "settled" | "spent", seq = sql`r.seq`) => sql`
  insert into turn_stages (app_id, session_id, turn_index, fence, seq, stage, attempt, started_at, latency_ms, status,
    decision, error_code, detail,
    model, input_tokens, cached_input_tokens, output_tokens, cost_micro_usd, estimated, unpriced)
  select s.app_id, s.session_id, s.turn_index, s.fence,
    ${seq}, r.stage, r.attempt, r.started_at, r.latency_ms, r.status, r.decision, r.error_code, r.detail,
    r.model, r.input_tokens, r.cached_input_tokens, r.output_tokens, r.cost_micro_usd, r.estimated, r.unpriced
  from json_to_recordset(${stages}::text::json) as r(n int, seq int, stage text, attempt int, started_at timestamptz,
    latency_ms float8, status text, decision text, error_code text, detail json,
    model text, input_tokens int, cached_input_tokens int, output_tokens int, cost_micro_usd bigint, estimated boolean,
      unpriced boolean)
  join ${sql(of)} s on s.n = r.n
  on conflict (app_id, session_id, turn_index, fence, seq) do update set latency_ms = excluded.latency_ms,
    status = excluded.status, decision = excluded.decision,
    error_code = excluded.error_code, detail = excluded.detail, model = excluded.model,
      input_tokens = excluded.input_tokens, cached_input_tokens = excluded.cached_input_tokens,
    output_tokens = excluded.output_tokens, cost_micro_usd = excluded.cost_micro_usd, estimated = excluded.estimated,
      unpriced = excluded.unpriced`

/** An attempt at a turn, and what it has cost so far. */
export interface Spending {
  readonly app: string
  readonly session: string
  readonly turn: number
  readonly owner: string
  readonly fence: number
  readonly cost: number
  readonly stageCount: number
  /** Its stage rows as JSON text. */
  readonly stages: string
}

/**
 * Books what an attempt has cost so far, over what was booked for it before, only where the turn is still held by this
 * owner and fence. The hold stays until the turn settles. With `free` the turn is given up as well, and waits again.
 */
export const writeSpent = (sql: Sql, s: Spending, free: boolean, priceVersion: string) => sql`
  with d as (
    select 1 as n, ${s.app}::text as app_id,
      ${s.session}::text as session_id,
        ${s.turn}::int as turn_index, ${s.fence}::int as fence, ${s.stageCount}::int as stages
  ), spent as (
    update turns t set owner = case
      when ${free} then null else t.owner end, cost_micro_usd = coalesce(t.cost_micro_usd,
        0) + ${s.cost}::bigint - b.booked_micro_usd
    from d join sessions c using (app_id, session_id) cross join lateral (${booked(sql)}) b
    where t.app_id = d.app_id and t.session_id = d.session_id and t.turn_index = d.turn_index
      and t.owner = ${s.owner} and t.fence = d.fence and t.outcome is null
    returning d.*, t.run_ref, t.reply_mode, t.source_kind, c.external_user_ref,
      ${s.cost}::bigint - b.booked_micro_usd as cost_micro_usd
  ), moves as (
    select app_id, external_user_ref, now() as at, cost_micro_usd as amount, 0 as sent from spent
  ), counted_use as (
    ${countUse(sql, "moves")}
  ), entered as (
    ${enterInLedger(sql, "spent", "settle", sql`cost_micro_usd`, priceVersion)}
  ), traced as (
    ${trace(sql, s.stages, "spent")}
  )
  select app_id, session_id from spent`

/** What was done for a turn after it had ended. */
export interface Afterwards {
  readonly app: string
  readonly session: string
  readonly turn: number
  readonly cost: number
}

/**
 * Books a stage for each of these turns that ran after it had ended, behind the stages that it has, and gives back what
 * was still held for it; `stages` are their rows as JSON text. The sessions are locked by the caller, and before them,
 * where it has cost anything, their allowances.
 */
export const writeAfterwards = (sql: Sql, done: ReadonlyArray<Afterwards>, stages: string, priceVersion: string) => sql`
  with done as (
    select * from unnest(${done.map(({ app }) => app)}::text[],
      ${done.map(({ session }) => session)}::text[],
        ${done.map(({ turn }) => turn)}::int[], ${done.map(({ cost }) => cost)}::bigint[])
      with ordinality as d(app_id, session_id, turn_index, cost_micro_usd, n)
  ), spent as (
    update turns t set cost_micro_usd = coalesce(t.cost_micro_usd, 0) + d.cost_micro_usd, reading_hold_micro_usd = 0
    from done d join sessions c using (app_id, session_id) join turns h using (app_id, session_id, turn_index)
    where t.app_id = d.app_id and t.session_id = d.session_id and t.turn_index = d.turn_index
    returning d.n, t.app_id, t.session_id, t.turn_index, t.fence, t.run_ref, t.reply_mode, t.source_kind,
      t.accepted_at, c.external_user_ref, d.cost_micro_usd, h.reading_hold_micro_usd as held_micro_usd
  ), moves as (
    select app_id, external_user_ref, now() as at, cost_micro_usd as amount, 0 as sent from spent
      where cost_micro_usd > 0
    union all
    select app_id, external_user_ref, accepted_at, -held_micro_usd, 0 from spent where held_micro_usd > 0
  ), counted_use as (
    ${countUse(sql, "moves")}
  ), released as (
    ${enterInLedger(sql, "spent", "release_reading", sql`-held_micro_usd`)} and held_micro_usd > 0
  ), entered as (
    ${enterInLedger(sql, "spent", "settle", sql`cost_micro_usd`, priceVersion)} and cost_micro_usd > 0
  )
  ${trace(
    sql,
    stages,
    "spent",
    sql`(
    select coalesce(max(g.seq), -1) + 1 from turn_stages g where g.app_id = s.app_id and g.session_id = s.session_id
      and g.turn_index = s.turn_index and g.fence = s.fence
  )`
  )}`

/** Puts a turn off until it is due, once, and asks for a worker then. */
export const writeDeferred = (
  sql: Sql,
  app: string,
  session: string,
  turn: number,
  owner: string,
  fence: number,
  dueAt: Date
) => sql`
  with deferred as (
    update turns set owner = null, deferred = true, due_at = case when stopped then now()
      else ${dueAt.toISOString()}::timestamptz end
    where app_id = ${app} and session_id =
      ${session} and turn_index = ${turn}::int and owner = ${owner} and fence = ${fence}::int and outcome is null
    returning app_id, session_id, due_at
  )
  select graphile_worker.add_job('turn', json_build_object('sessions', json_build_array(json_build_array(app_id,
    session_id))), run_at := due_at) from deferred`

/** Why a turn by which the character would have written first says nothing: the person has written. */
export const OVERTAKEN = "overtaken"

/**
 * Finished turns as columns. Events and stage rows are lists of their own that name their turn by its place `of` (from
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
  /** The stage rows of all turns as one JSON text: many columns, read once. */
  readonly stages: string
}

export interface SettleRow {
  /** Place in the batch, from 1. */
  readonly n: number
  readonly session_id: string
  readonly last_cursor: number
  readonly open_turns: number
}

export interface NewlySettledRow extends SettleRow {
  /** The turn ended as it was meant to: what it says is on the log. */
  readonly as_meant: boolean
}

/**
 * The terminal write of finished turns: outcome, events, counters, money and stage rows, only where the turn is still
 * held by this owner and fence. A turn without a row in the answer was taken over meanwhile: nothing of it was written.
 * In a session that has ended while the turn ran, the turn ends as exited and says nothing more. So does one by which
 * the character writes first when the person has written meanwhile: as withheld.
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
    returning d.n, d.cost_micro_usd - d.booked_micro_usd as cost_micro_usd, t.app_id, t.session_id, t.turn_index,
      t.run_ref, t.fence, t.source_kind, t.outcome, t.reply_mode, t.hold_micro_usd, t.reading_hold_micro_usd,
        t.accepted_at,
      c.external_user_ref, t.initiative is null as answers, d.outcome as meant, l.status as session_status,
        l.last_cursor
  ), appended as (
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload)
    select s.app_id, s.session_id, s.last_cursor + e.place, e.id, e.type, e.role, s.run_ref, s.source_kind,
      e.payload::json
    from settled s join said e using (n) where s.session_status = 'active' and s.outcome = s.meant
    returning session_id, type, payload
  ), counted as (
    update session_logs l set open_turns = l.open_turns - 1,
      last_cursor = l.last_cursor + x.events,
      unanswered_character_turns = l.unanswered_character_turns + case when x.spoken > 0 then 1 else 0 end,
      last_character_at = case when x.spoken > 0 then now() else l.last_character_at end,
      status = case when x.exit_reason is null then l.status else 'exited' end,
      exited_at = case when x.exit_reason is null then l.exited_at else now() end,
      exit_reason = coalesce(l.exit_reason, x.exit_reason)
    from (
      select s.app_id, s.session_id, count(a.type) as events, count(*) filter (where a.type in ('message.created',
        'character.initiated')) as spoken,
        max(a.payload ->> 'reason_code') filter (where a.type = 'session.exited') as exit_reason
      from settled s left join appended a using (session_id) group by 1, 2
    ) x
    where l.app_id = x.app_id and l.session_id = x.session_id
    returning l.session_id, l.last_cursor, l.open_turns
  ), heard as (
    update relationships r set initiate_at = now(), awaits_word = false from settled s
    where r.app_id = s.app_id and r.session_id = s.session_id and r.awaits_word and s.answers
  ), moves as (
    ${endOfHold(sql, "settled", sql`cost_micro_usd`)}
  ), counted_use as (
    ${countUse(sql, "moves")}
  ), released as (
    ${enterInLedger(sql, "settled", "release", sql`reading_hold_micro_usd - hold_micro_usd`)}
  ), entered as (
    ${enterInLedger(sql, "settled", "settle", sql`cost_micro_usd`, priceVersion)}
  ), traced as (
    ${trace(sql, b.stages, "settled")}
  )
  select s.n::int, s.session_id, c.last_cursor, c.open_turns, s.session_status = 'active'
    and s.outcome = s.meant as as_meant from settled s join counted c using (session_id)`

/**
 * Which of these were settled in this attempt already: by an earlier try whose commit answer was lost, or by the end of
 * the session after it had been given up.
 */
export const findSettled = (sql: Sql, b: SettleColumns) => sql<Array<SettleRow>>`
  select d.n::int, session_id, l.last_cursor, l.open_turns
  from unnest(${b.app}::text[], ${b.session}::text[],
    ${b.turn}::int[], ${b.fence}::int[]) with ordinality as d(app_id, session_id, turn_index, fence, n)
  join turns t using (app_id, session_id, turn_index, fence) join session_logs l using (app_id, session_id)
  where t.outcome is not null`

/**
 * Settles what still waits in sessions that have ended: their `session.exited` is the outcome of these turns, and what
 * was held for them is released; what an attempt of theirs that came to nothing has cost stays paid. A turn that is
 * running settles itself, with what it has spent.
 */
export const settleBehindExit = (sql: Sql, apps: ReadonlyArray<string>, sessions: ReadonlyArray<string>) => sql`
  with settled as (
    update turns t set outcome = 'exited', settled_at = now(), cost_micro_usd = coalesce(t.cost_micro_usd, 0),
      reading_hold_micro_usd = 0
    from unnest(${apps}::text[], ${sessions}::text[]) as x(app_id, session_id) join session_logs l using (app_id,
      session_id) join sessions c using (app_id, session_id)
    where t.app_id = x.app_id and t.session_id = x.session_id and t.outcome is null and t.owner is null
      and l.status <> 'active'
    returning t.app_id, t.session_id, t.turn_index, t.run_ref, t.reply_mode, t.source_kind, t.hold_micro_usd,
      t.reading_hold_micro_usd, t.accepted_at, c.external_user_ref
  ), counted as (
    update session_logs l set open_turns = l.open_turns - x.turns
    from (select app_id, session_id, count(*)::int as turns from settled group by 1, 2) x
    where l.app_id = x.app_id and l.session_id = x.session_id
  ), moves as (
    ${endOfHold(sql, "settled", sql`0`)}
  ), released as (
    ${enterInLedger(sql, "settled", "release", sql`reading_hold_micro_usd - hold_micro_usd`)}
  )
  ${countUse(sql, "moves")}`

/** Releases what is held for turns that are about to be deleted, and so never settle. */
export const releaseHolds = (sql: Sql, app: string, sessions: ReadonlyArray<string>) => sql`
  with settled as (
    select t.*, c.external_user_ref from turns t join sessions c using (app_id, session_id)
    where t.app_id = ${app} and t.session_id = any(${sessions}::text[]) and t.outcome is null
  ), unread as (
    select t.*, c.external_user_ref from turns t join sessions c using (app_id, session_id)
    where t.app_id = ${app} and t.session_id = any(${sessions}::text[]) and t.reading_hold_micro_usd > 0
  ), moves as (
    ${endOfHold(sql, "settled", sql`0`)}
    union all
    select app_id, external_user_ref, accepted_at, -reading_hold_micro_usd, 0 from unread
  ), released as (
    ${enterInLedger(sql, "settled", "release", sql`reading_hold_micro_usd - hold_micro_usd`)}
  ), released_readings as (
    ${enterInLedger(sql, "unread", "release_reading", sql`-reading_hold_micro_usd`)}
  )
  ${countUse(sql, "moves")}`
