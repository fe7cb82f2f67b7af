import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BotStatus } from "#src/db/telegram/bots/StoredBot.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { has, microseconds, timeOf } from "./Position.ts"
import { MAX_COUNTED, type Total, totalOf } from "./Total.ts"

export const SESSION_STATES = ["active", "exited", "archived"] as const
export type SessionState = (typeof SESSION_STATES)[number]

/** Null: not filtered by it. */
export interface SessionSearchFilter {
  readonly appId: string | null
  /** The whole reference of the person, which an index finds; and part of it. */
  readonly externalUserRef: string | null
  readonly person: string | null
  /** The whole slug of the character, and part of it. */
  readonly characterSlug: string | null
  readonly character: string | null
  readonly status: SessionState | null
  /** Somebody was in danger in it since then. */
  readonly crisisSince: Date | null
}

/** What is known of a session without what was said in it. */
export interface FoundSession {
  readonly app_id: string
  /** Null: it is not an app, but a run of evals. */
  readonly app_name: string | null
  readonly session_id: string
  readonly character_slug: string
  /** What the character is called now. Null: it has no name. */
  readonly character_name: string | null
  readonly external_user_ref: string
  readonly status: SessionState
  readonly exit_reason: string | null
  readonly exited_at: Date | null
  readonly last_cursor: number
  readonly turn_count: number
  /** Turns that wait or are being answered. */
  readonly open_turns: number
  /** A worker is answering one of them. */
  readonly answering: boolean
  /** Why no worker begins another one: the app is suspended, or it is moving to another cell. Null: neither. */
  readonly hold: "app" | "move" | null
  readonly created_at: Date
  readonly last_user_at: Date | null
  readonly last_character_at: Date | null
  /** The last crisis of those that were searched for, and its kind. Null: none was searched for. */
  readonly crisis_at: Date | null
  readonly crisis: string | null
}

/** The chat through which somebody takes part in a session. */
export interface SessionChat {
  readonly bot_id: string
  readonly username: string | null
  readonly bot_status: BotStatus
  readonly chat_status: "active" | "blocked" | "unreachable" | "closed"
}

/** Where a page ends. `crisisAt`: of a list by crises, in microseconds. Null: it is by when the sessions began. */
export interface SessionPosition {
  readonly crisisAt: number | null
  readonly id: string
}

export interface FoundSessions {
  readonly rows: ReadonlyArray<FoundSession>
  /** Where to continue. Null: this is the end. */
  readonly next: SessionPosition | null
}

/** Sessions that are looked through for one page. So a page can be short, and still not be the last. */
const MAX_SCANNED = 5_000
/** The same if part of a text is searched for, which needs no look into the log of each session. */
const MAX_SEARCHED = 20_000

const mostOf = ({ person, character }: SessionSearchFilter) =>
  person === null && character === null ? MAX_SCANNED : MAX_SEARCHED

/** Sessions of all apps. */
export class SessionSearch extends Context.Service<
  SessionSearch,
  {
    /** Those that began last first. If crises are searched for, those with the latest crisis. */
    readonly list: (
      filter: SessionSearchFilter,
      page: { readonly before: SessionPosition | null; readonly limit: number }
    ) => Effect.Effect<FoundSessions, DatabaseError>
    readonly count: (filter: SessionSearchFilter) => Effect.Effect<Total, DatabaseError>
    readonly get: (sessionId: string) => Effect.Effect<FoundSession | undefined, DatabaseError>
    /** Undefined: it is not a conversation in a messenger. */
    readonly chatOf: (appId: string, sessionId: string) => Effect.Effect<SessionChat | undefined, DatabaseError>
    /** In how many sessions somebody was in danger since then. */
    readonly countCrises: (since: Date) => Effect.Effect<number, DatabaseError>
  }
>()("src/db/operators/SessionSearch") {
  static readonly layer = Layer.effect(
    SessionSearch,
    Effect.gen(function* () {
      const { query } = yield* Database

      const columns = (sql: Sql) => sql`
        s.app_id, (select name from apps a where a.app_id = s.app_id) as app_name, s.session_id, s.character_slug,
        (select v.profile ->> 'display_name' from characters c join character_versions v using (app_id, slug, version)
          where c.app_id = s.app_id and c.slug = s.character_slug) as character_name,
        s.external_user_ref, l.status, l.exit_reason, l.exited_at,
        l.last_cursor, l.turn_count, l.open_turns,
        exists (select from turns t where t.app_id = s.app_id and t.session_id = s.session_id and t.outcome is null
          and t.owner is not null) as answering,
        (select h.kind from telegram_holds h where h.scope = s.app_id and h.kind in ('app', 'move')
          and h.released_at is null order by h.kind limit 1) as hold,
        s.created_at, l.last_user_at, l.last_character_at`
      /** Read through the index `turn_stages_crisis`. Evals are left out. */
      const crises = (sql: Sql, since: Date) => sql`
        select app_id, session_id, max(started_at) as crisis_at,
          (array_agg(decision order by started_at desc))[1] as crisis
        from turn_stages
        where stage in ('safety', 'grounding') and decision like 'crisis%' and started_at >= ${since}
          and ${isNotShadow(sql)}
        group by 1, 2`

      /** The sessions that an index finds. A reference alone is looked up in each app. */
      const scanned = (sql: Sql, filter: SessionSearchFilter, before: string | null) => {
        const { appId, externalUserRef, characterSlug } = filter
        const most = mostOf(filter)
        const below = before === null ? sql`true` : sql`s.session_id < ${before}`
        if (appId === null && externalUserRef !== null) {
          return sql`
          select x.* from app_figures f cross join lateral (
            select s.app_id, s.session_id, s.character_slug, s.external_user_ref, s.created_at from sessions s
            where s.app_id = f.app_id and s.external_user_ref = ${externalUserRef} and ${below}
            order by s.session_id desc limit ${most}::int
          ) x order by x.session_id desc limit ${most}::int`
        }
        return sql`
        select s.app_id, s.session_id, s.character_slug, s.external_user_ref, s.created_at from sessions s
        where ${appId === null ? sql`not starts_with(s.app_id, 'evr_')` : sql`s.app_id = ${appId}`}
          and ${externalUserRef === null ? sql`true` : sql`s.external_user_ref = ${externalUserRef}`}
          and ${appId === null || characterSlug === null ? sql`true` : sql`s.character_slug = ${characterSlug}`}
          and ${below}
        order by s.session_id desc limit ${most}::int`
      }

      /** The condition on a session `s` and its log `l`. */
      const matches = (sql: Sql, { person, characterSlug, character, status }: SessionSearchFilter) => sql`
        ${has(sql, sql`s.external_user_ref`, person)} and ${has(sql, sql`s.character_slug`, character)}
        and (${characterSlug}::text is null or s.character_slug = ${characterSlug})
        and (${status}::text is null or l.status = ${status})`

      /** Sessions with a crisis since then, which are few. */
      const inCrisis = (sql: Sql, filter: SessionSearchFilter, since: Date, before: SessionPosition | null) => {
        const { appId, externalUserRef } = filter
        return sql`
        from (${crises(sql, since)}) d join sessions s using (app_id, session_id)
        join session_logs l using (app_id, session_id)
        where ${appId === null ? sql`true` : sql`s.app_id = ${appId}`}
          and ${externalUserRef === null ? sql`true` : sql`s.external_user_ref = ${externalUserRef}`}
          and ${
            before === null
              ? sql`true`
              : sql`(d.crisis_at, s.session_id) < (${timeOf(sql, before.crisisAt ?? 0)}, ${before.id})`
          }
          and ${matches(sql, filter)}`
      }

      const listCrises = Effect.fnUntraced(function* (
        filter: SessionSearchFilter,
        since: Date,
        { before, limit }: { readonly before: SessionPosition | null; readonly limit: number }
      ) {
        const rows = yield* query<Array<FoundSession & { position: number }>>(
          (sql) => sql`
        select ${columns(sql)}, d.crisis_at, d.crisis, ${microseconds(sql, sql`d.crisis_at`)} as position
        ${inCrisis(sql, filter, since, before)}
        order by d.crisis_at desc, s.session_id desc limit ${limit + 1}::int`
        )
        const last = rows.length > limit ? rows[limit - 1]! : undefined
        return {
          rows: rows.slice(0, limit),
          next: last === undefined ? null : { crisisAt: last.position, id: last.session_id }
        }
      })

      const listSessions = Effect.fnUntraced(function* (
        filter: SessionSearchFilter,
        { before, limit }: { readonly before: SessionPosition | null; readonly limit: number }
      ) {
        const beforeId = before?.id ?? null
        const rows = yield* query<Array<FoundSession>>(
          (sql) => sql`
        select ${columns(sql)}, null::timestamptz as crisis_at, null::text as crisis
        from (${scanned(sql, filter, beforeId)}) s join session_logs l using (app_id, session_id)
        where ${matches(sql, filter)} order by s.session_id desc limit ${limit + 1}::int`
        )
        if (rows.length > limit)
          return { rows: rows.slice(0, limit), next: { crisisAt: null, id: rows[limit - 1]!.session_id } }
        const [last] = yield* query<Array<{ session_id: string }>>(
          (sql) => sql`
        select session_id from (${scanned(sql, filter, beforeId)}) s
        order by session_id desc offset ${mostOf(filter) - 1}::int limit 1`
        )
        return { rows, next: last === undefined ? null : { crisisAt: null, id: last.session_id } }
      })

      const count = Effect.fnUntraced(function* (filter: SessionSearchFilter) {
        const { crisisSince: since } = filter
        const [row] = yield* query<Array<{ found: number; scanned: number }>>((sql) =>
          since === null
            ? sql`
            with s as materialized (${scanned(sql, filter, null)})
            select (select count(*)::int from (
                select s.session_id from s join session_logs l using (app_id, session_id)
                where ${matches(sql, filter)} limit ${MAX_COUNTED + 1}::int
              ) f) as found, (select count(*)::int from s) as scanned`
            : sql`
            select (select count(*)::int from (
                select s.session_id ${inCrisis(sql, filter, since, null)} limit ${MAX_COUNTED + 1}::int
              ) f) as found, 0 as scanned`
        )
        return totalOf(row!.found, row!.scanned < mostOf(filter))
      })

      return SessionSearch.of({
        list: (filter, page) =>
          filter.crisisSince === null ? listSessions(filter, page) : listCrises(filter, filter.crisisSince, page),
        count,
        get: (sessionId) =>
          query<Array<FoundSession>>(
            (sql) => sql`
        select ${columns(sql)}, null::timestamptz as crisis_at, null::text as crisis
        from sessions s join session_logs l using (app_id, session_id)
        where s.session_id = ${sessionId}`
          ).pipe(Effect.map(([row]) => row)),
        chatOf: (appId, sessionId) =>
          query<Array<SessionChat>>(
            (sql) => sql`
        select c.channel_id as bot_id, b.username, b.status as bot_status, c.status as chat_status
        from telegram_chats c join telegram_bots b using (app_id, channel_id)
        where c.app_id = ${appId} and c.session_id = ${sessionId} limit 1`
          ).pipe(Effect.map(([row]) => row)),
        countCrises: (since) =>
          query<Array<{ sessions: number }>>(
            (sql) => sql`select count(*)::int as sessions from (${crises(sql, since)}) c`
          ).pipe(Effect.map(([row]) => row!.sessions))
      })
    })
  )
}
