import type { MessagePart, Payload } from "#pipeline/domain/Event.ts"
import { newId } from "#pipeline/domain/Id.ts"
import type { EndedTurn } from "#pipeline/relational/Extractor.ts"
import type { Sql } from "#src/db/postgres/Database.ts"
import { isLimited } from "#src/db/billing/moneyStatements.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/** How many earlier utterances are included in the extraction of a turn. */
export const HISTORY_UTTERANCES = 12

/** Role, text, cursor, milliseconds, whether it is of this turn, and its parts if it was more than text. */
type PendingUtterance = readonly [
  "user" | "character",
  string,
  number,
  number,
  boolean,
  ReadonlyArray<MessagePart> | null
]

export interface PendingTurnRow {
  /** Index in the batch, from 1. */
  readonly n: number
  readonly turn_index: number
  readonly outcome: EndedTurn["outcome"]
  readonly character_slug: string
  readonly character_version: number
  readonly external_user_ref: string
  readonly display_name: string | null
  readonly timezone: string | null
  readonly locale: string | null
  readonly age_band: "adult" | "minor" | "unknown"
  readonly exposes: boolean
  readonly is_last: boolean
  readonly recalled: ReadonlyArray<string>
  readonly said: ReadonlyArray<PendingUtterance> | null
  readonly ended_at: Date
  /** Whether its character has storylines. */
  readonly storied: boolean
  readonly held_micro_usd: number
  readonly is_limited: boolean
}

/** The first finished turn without extraction of each of these sessions. */
export const findPendingTurns = (sql: Sql, sessions: ReadonlyArray<SessionRef>) => sql<Array<PendingTurnRow>>`
  select w.n::int, t.turn_index, t.outcome, t.character_slug, coalesce(t.character_version,
    c.version) as character_version, t.external_user_ref, u.display_name, u.timezone, u.locale, u.age_band,
    a.expose_relational_numerics as exposes, t.reading_hold_micro_usd as held_micro_usd,
      ${isLimited(sql, sql`t`)} as is_limited,
    not exists (select from turns later where later.app_id = t.app_id and later.session_id = t.session_id
      and later.turn_index > t.turn_index) as is_last, coalesce(ended.at, t.settled_at) as ended_at,
    exists (select from storylines y where y.app_id = t.app_id and y.slug = t.character_slug) as storied,
    coalesce((select json_agg(distinct m ->> 'id') from turn_stages g cross
      join json_array_elements(g.detail -> 'memories') m
      where g.app_id = t.app_id and g.session_id = t.session_id and g.turn_index = t.turn_index
        and g.stage = 'retrieval' and starts_with(m ->> 'id', 'mem_')), '[]') as recalled,
    (
      select json_agg(json_build_array(e.role, e.payload ->> 'text', e.cursor, floor(extract(epoch
        from e.created_at) * 1000), e.trace_id = t.run_ref, e.payload -> 'parts') order by e.cursor)
      from (
        select * from events e where e.app_id = t.app_id and e.session_id = t.session_id
          and e.type in ('message.created', 'character.initiated')
          and e.cursor <= coalesce(ended.cursor, t.cursor) and (e.role = 'character' or e.cursor <= t.cursor)
        order by e.cursor desc limit ${sql.unsafe(String(HISTORY_UTTERANCES + 2))}
      ) e
    ) as said
  from unnest(${sessions.map(({ appId }) => appId)}::text[],
    ${sessions.map(({ sessionId }) => sessionId)}::text[]) with ordinality as w(app_id, session_id, n)
    cross join lateral (
      select t.*, s.external_user_ref, s.character_slug from turns t join sessions s using (app_id, session_id)
      where t.app_id = w.app_id and t.session_id = w.session_id
        and t.turn_index > coalesce((select r.read_turn from relationships r where r.app_id = w.app_id
          and r.session_id = w.session_id), 0)
      order by t.turn_index limit 1
    ) t
    cross join lateral (
      select max(e.cursor) as cursor, max(e.created_at) as at from events e
      where e.app_id = t.app_id and e.session_id = t.session_id and e.cursor >= t.cursor and e.trace_id = t.run_ref
        and e.type <> 'relationship_score.changed'
    ) ended
    join apps a on a.app_id = t.app_id join characters c on c.app_id = t.app_id and c.slug = t.character_slug
    join end_users u on u.app_id = t.app_id and u.external_user_ref = t.external_user_ref
  where t.outcome is not null and t.settled_at is not null`

/** The score event for a turn's app. */
export interface ScoreChange {
  readonly session: SessionRef
  readonly turnIndex: number
  readonly payload: Payload<"relationship_score.changed">
}

/**
 * Appends score events to the logs of these sessions, which the caller has locked. An app may have opted out during the
 * extraction.
 */
export const appendScores = (sql: Sql, told: ReadonlyArray<ScoreChange>) => sql`
  with told as (
    select * from unnest(${told.map(({ session }) => session.appId)}::text[],
      ${told.map(({ session }) => session.sessionId)}::text[], ${told.map(({ turnIndex }) => turnIndex)}::int[],
      ${told.map(() => newId("evt"))}::text[],
        ${told.map(({ payload }) => JSON.stringify(payload))}::text[]) as w(app_id, session_id, turn_index, id, payload)
  ), counted as (
    update session_logs l set last_cursor = l.last_cursor + 1,
      feed_position = ${nextFeedPosition(sql, sql`l.feed_position`)} from told w join apps a using (app_id)
    where l.app_id = w.app_id and l.session_id = w.session_id and a.expose_relational_numerics returning w.*,
      l.last_cursor, l.feed_position
  ), appended as (
    insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, feed_position)
    select c.app_id, c.session_id, c.last_cursor, c.id, 'relationship_score.changed', 'system', t.run_ref, 'system',
      c.payload::json, c.feed_position
    from counted c join turns t using (app_id, session_id, turn_index)
  )
  select app_id, session_id, last_cursor from counted`
