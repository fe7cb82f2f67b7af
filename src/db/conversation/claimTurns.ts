import type { MessagePart } from "#pipeline/domain/Event.ts"
import type { ProactiveBrief } from "#pipeline/domain/ProactiveBrief.ts"
import type { Fault } from "#pipeline/domain/Turn.ts"
import { GENTLE_TURNS } from "#pipeline/safety/judge.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { isLimited } from "#src/db/billing/moneyStatements.ts"

export interface ClaimRow {
  readonly app_id: string
  readonly session_id: string
  readonly turn_index: number
  readonly run_ref: string
  readonly reply_mode: "fast" | "deep"
  readonly owner: string
  readonly fence: number
  readonly crashes: number
  readonly accepted_at: Date
  readonly deferred: boolean
  readonly stopped: boolean
  readonly session_status: string
  /** The message. Empty if the character writes first. */
  readonly text: string
  /** The parts of the message, if it was more than text. */
  readonly parts: ReadonlyArray<MessagePart> | null
  readonly initiative: ProactiveBrief | null
  readonly fault: Fault | null
  /** The trace of the message. */
  readonly traceparent: string | null
  readonly character_slug: string
  readonly character_version: number
  readonly external_user_ref: string
  readonly display_name: string | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly age_band: "adult" | "minor" | "unknown"
  /** The person has said that this character is a minor. */
  readonly minor_character: boolean
  /** Whether the character has a described appearance. */
  readonly has_looks: boolean
  /** Safety or grounding found a crisis in one of the messages just before this one. */
  readonly after_crisis: boolean
  /** What is left of its reservation, in micro-USD. Null: no limit applies. */
  readonly left_micro_usd: number | null
}

/**
 * Claims, in each of these sessions, the oldest unsettled turn if it is unclaimed and due. Turns of suspended apps
 * wait. A settled turn stays settled, so the oldest one in the snapshot is still the oldest, or it is settled and not
 * claimed. The worker's own row is locked against deletion before any turn is. A process that finds the worker dead
 * deletes that row before it releases its turns, so nothing is claimed in its name afterwards. A claim does not wait
 * for the disk: if a database crash loses it, the turn waits again, and its claimer has lost its registration.
 *
 * Turns are found by the keys of their sessions, whatever the statistics say: a subquery that locks is never merged
 * into a join, and the conditions on all apps and sessions bound the scan for the update. A plan from when few turns
 * were open would read all of them, which takes long when they pile up.
 */
export const claimTurns = (
  sql: Sql,
  owner: string,
  apps: ReadonlyArray<string>,
  sessions: ReadonlyArray<string>
) => sql<Array<ClaimRow>>`
  with me as (
    select worker_id, set_config('synchronous_commit', 'off', true) from workers
      where worker_id = ${owner} for key share
  ), free as materialized (
    select t.* from (select distinct * from unnest(${apps}::text[], ${sessions}::text[])) as w(app_id, session_id)
    cross join lateral (
      select t.turn_index from turns t
      where t.app_id = w.app_id and t.session_id = w.session_id and t.outcome is null
      order by t.turn_index limit 1
    ) o
    cross join lateral (
      select t.app_id, t.session_id, t.turn_index from turns t
      where t.app_id = w.app_id and t.session_id = w.session_id and t.turn_index = o.turn_index
        and t.owner is null and t.outcome is null and t.due_at <= now() and exists (select from me)
        and not (${isSuspended(sql, sql`t.app_id`)})
      for no key update of t skip locked
    ) t
  ), claimed as (
    update turns t set owner = me.worker_id, fence = t.fence + 1, started_at = coalesce(t.started_at, now()),
      character_version = coalesce(t.character_version, c.version)
    from me, free f join sessions s using (app_id, session_id) join characters c on c.app_id = s.app_id
      and c.slug = s.character_slug
    where t.app_id = f.app_id and t.session_id = f.session_id and t.turn_index = f.turn_index and t.outcome is null
      and t.app_id = any(${apps}::text[]) and t.session_id = any(${sessions}::text[])
    returning t.*, s.character_slug, s.external_user_ref
  )
  select t.app_id, t.session_id, t.turn_index, t.run_ref, t.reply_mode, t.owner, t.fence, t.crashes, t.accepted_at,
    t.deferred, t.stopped, t.fault, t.traceparent, l.status as session_status,
    coalesce(e.payload ->> 'text', '') as text, e.payload -> 'parts' as parts, t.initiative,
    t.character_slug, t.character_version, t.external_user_ref, u.display_name, u.timezone, u.locale, u.age_band,
      t.character_slug = any(u.minor_characters) as minor_character,
    exists (select from visual_identities v where v.app_id = t.app_id and v.character_slug = t.character_slug
      and v.identity ->> 'appearance' <> '') as has_looks,
    exists (
      select from (
        select p.turn_index from turns p
        where p.app_id = t.app_id and p.session_id = t.session_id and p.turn_index < t.turn_index
          and p.initiative is null
        order by p.turn_index desc limit ${GENTLE_TURNS}::int
      ) p join turn_stages g on g.app_id = t.app_id and g.session_id = t.session_id and g.turn_index = p.turn_index
      where g.stage in ('safety', 'grounding') and g.decision like 'crisis%'
    ) as after_crisis,
    case when t.initiative is not null
      or ${isLimited(sql, sql`t`)} then t.hold_micro_usd - t.reading_hold_micro_usd - coalesce(t.cost_micro_usd, 0)
        end as left_micro_usd
  from claimed t
  join session_logs l on l.app_id = t.app_id and l.session_id = t.session_id
  left join events e on e.app_id = t.app_id and e.session_id = t.session_id and e.cursor = t.cursor
    and t.initiative is null
  join end_users u on u.app_id = t.app_id and u.external_user_ref = t.external_user_ref`
