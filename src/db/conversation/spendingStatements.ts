import { recordUsage, insertLedgerEntries } from "#src/db/billing/moneyStatements.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { booked, writeStages } from "./stageRows.ts"

/** An attempt at a turn, and its cost so far. */
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
 * Books an attempt's cost so far, replacing what was booked for it before, only if the turn is still held by this owner
 * and fence. The reservation stays until the turn settles. With `free` the turn is also released, and waits again.
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
    ${recordUsage(sql, "moves")}
  ), entered as (
    ${insertLedgerEntries(sql, "spent", "settle", sql`cost_micro_usd`, priceVersion)}
  ), traced as (
    ${writeStages(sql, s.stages, "spent")}
  )
  select app_id, session_id from spent`

/** A stage that ran for a turn after it had ended. */
export interface LateSpending {
  readonly app: string
  readonly session: string
  readonly turn: number
  readonly cost: number
}

/**
 * Books a stage that ran after the end of each of these turns, following its other stages, and refunds what was still
 * reserved for it. `stages` are the rows as JSON text. The caller has locked the sessions and, if it cost anything,
 * their allowances before them.
 */
export const writeLateSpending = (
  sql: Sql,
  done: ReadonlyArray<LateSpending>,
  stages: string,
  priceVersion: string
) => sql`
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
    ${recordUsage(sql, "moves")}
  ), released as (
    ${insertLedgerEntries(sql, "spent", "release_reading", sql`-held_micro_usd`)} and held_micro_usd > 0
  ), entered as (
    ${insertLedgerEntries(sql, "spent", "settle", sql`cost_micro_usd`, priceVersion)} and cost_micro_usd > 0
  )
  ${writeStages(
    sql,
    stages,
    "spent",
    sql`(
    select coalesce(max(g.seq), -1) + 1 from turn_stages g where g.app_id = s.app_id and g.session_id = s.session_id
      and g.turn_index = s.turn_index and g.fence = s.fence
  )`
  )}`
