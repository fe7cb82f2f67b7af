import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { recordUsage, insertLedgerEntries } from "#src/db/billing/moneyStatements.ts"
import { addTurnJobs } from "#src/db/conversation/turnJobs.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/** A batch of sessions that a worker has leased. Its name is in their rows until they have been checked. */
export interface Batch {
  readonly owner: string
  readonly until: string
}

const nameOf = ({ owner, until }: Batch) => `${owner} ${until}`

/**
 * Takes sessions that are due for a check, longest waiting first, and sets their next check to the end of the lease, so
 * that they are found again if the worker stays. With that value the caller also detects changes in the meantime. They
 * have to be checked in the order in which they are returned: see `releaseChecks`.
 */
export const claimDue = (sql: Sql, now: string, batch: Batch, most: number) => sql`
  with me as (
    select 1 from workers where worker_id = ${batch.owner} for key share
  ), due as (
    select app_id, session_id from relationships
      where initiate_at <= ${now}::timestamptz and exists (select from me)
      order by initiate_at limit ${most}::int for no key update skip locked
  ), leased as (
    update relationships r set initiate_at = ${batch.until}::timestamptz, check_lease = ${nameOf(batch)} from due d
    where r.app_id = d.app_id and r.session_id = d.session_id returning r.app_id, r.session_id
  )
  select app_id, session_id from leased order by app_id, session_id`

/** Removes a session from its batch that was not checked. It is due again when the lease ends, or as set since then. */
export const leaveBatch = (sql: Sql, { appId, sessionId }: SessionRef, batch: Batch) => sql`
  update relationships set check_lease = null
    where app_id = ${appId} and session_id = ${sessionId} and check_lease = ${nameOf(batch)}`

/**
 * Serializes decisions per person, and per app with a daily limit. Two at once could otherwise both use the last
 * remaining message.
 */
export const lockCaps = (sql: Sql, { appId, sessionId }: SessionRef) => sql`
  select pg_advisory_xact_lock(hashtextextended(lock, 0)) from (
    select 'initiatives ' || s.app_id as lock, 0 as place from sessions s join proactive_policies p using (app_id)
    where s.app_id = ${appId} and s.session_id =
      ${sessionId} and p.policy::jsonb ?| array['daily_cap_app', 'channel_policy', 'cost_cap']
    union all
    select 'initiatives ' || app_id || ' ' || external_user_ref, 1 from sessions
      where app_id = ${appId} and session_id = ${sessionId}
    order by place
  ) locks`

/** Begins a proactive turn in a session that the caller has locked. Like an accept, but without a message. */
export const beginTurn = (
  sql: Sql,
  { appId, sessionId }: SessionRef,
  runRef: string,
  reservedMicroUsd: number,
  brief: ProactiveBrief,
  priceVersion: string
) => sql`
  with opened as (
    insert into turns (app_id, session_id, turn_index, run_ref, cursor, reply_mode, source_kind, hold_micro_usd,
      initiative)
    select app_id, session_id, turn_count + 1,
      ${runRef}, last_cursor, 'fast', 'proactive', ${reservedMicroUsd}::bigint, ${JSON.stringify(brief)}::text::json
    from session_logs where app_id = ${appId} and session_id = ${sessionId}
    returning *
  ), counted as (
    update session_logs l set turn_count = l.turn_count + 1, open_turns = l.open_turns + 1 from opened o
      where l.app_id = o.app_id and l.session_id = o.session_id
  ), moves as (
    select o.app_id, c.external_user_ref, now() as at, o.hold_micro_usd as amount, 0 as sent from opened o
      join sessions c using (app_id, session_id)
  ), counted_use as (
    ${recordUsage(sql, "moves")}
  ), entered as (
    ${insertLedgerEntries(sql, "opened", "hold", sql`hold_micro_usd`, priceVersion)}
  )
  select turn_index, ${addTurnJobs(sql, sql`select app_id, session_id from opened`)} as jobs from opened`

export interface NewDecision {
  readonly decisionId: string
  readonly at: string
  /** Null: it was not found out. */
  readonly reason: string | null
  /** Null: a turn was begun. */
  readonly skippedBy: string | null
  readonly turnIndex: number | null
  readonly nextEligibleAt: string | null
}

/** Stores a decision, unless it is a skip for the same reason as the previous one. */
export const writeDecision = (sql: Sql, { appId, sessionId }: SessionRef, d: NewDecision) => sql`
  insert into proactive_decisions (app_id, session_id, decision_id, at, reason, decision, skipped_by, turn_index,
    next_eligible_at)
  select ${appId}, ${sessionId},
    ${d.decisionId}, ${d.at}::timestamptz,
      ${d.reason}, ${d.skippedBy === null ? "sent" : "skipped"},
        ${d.skippedBy}, ${d.turnIndex}::int, ${d.nextEligibleAt}::timestamptz
  where not exists (
    select from (select skipped_by, reason from proactive_decisions
      where app_id = ${appId} and session_id = ${sessionId} order by decision_id desc limit 1) last
    where last.skipped_by = ${d.skippedBy}::text and last.reason is not distinct from ${d.reason}::text
  )`

/**
 * The next check of a session that has been checked: a time, `never` without a change, or `off` while nobody wants it.
 * The crashes of others that were counted beside them are forgotten.
 */
export const writeDue = (
  sql: Sql,
  { appId, sessionId }: SessionRef,
  at: string | "never" | "off",
  awaitsMessage: boolean
) => sql`
  with cleared as (
    delete from crashed_units where app_id = ${appId} and kind = 'proactive' and unit = ${sessionId}
  )
  update relationships set check_lease = null, initiate_at =
    ${at === "off" ? sql`null` : at === "never" ? sql`'infinity'` : sql`${at}::timestamptz`},
      awaits_word = ${awaitsMessage} where app_id = ${appId} and session_id = ${sessionId}`
