import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BotStatus } from "#src/db/telegram/bots/StoredBot.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"

export const SESSION_STATES = ["active", "exited", "archived"] as const
export type SessionState = (typeof SESSION_STATES)[number]

/** Null: not filtered by it. */
export interface SessionSearchFilter {
  readonly appId: string | null
  readonly externalUserRef: string | null
  readonly characterSlug: string | null
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
  readonly external_user_ref: string
  readonly status: SessionState
  readonly exit_reason: string | null
  readonly exited_at: Date | null
  readonly last_cursor: number
  readonly turn_count: number
  /** Turns that wait or are being answered. */
  readonly open_turns: number
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

export interface FoundSessions {
  readonly rows: ReadonlyArray<FoundSession>
  /** The id to continue before. Null: this is the end. */
  readonly next: string | null
}

/** Sessions that are looked through for one page. So a page can be short, and still not be the last. */
const MAX_SCANNED = 5_000

/** Sessions of all apps. */
export class SessionSearch extends Context.Service<
  SessionSearch,
  {
    /** Newest first. */
    readonly list: (
      filter: SessionSearchFilter,
      page: { readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<FoundSessions, DatabaseError>
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
        s.external_user_ref, l.status, l.exit_reason, l.exited_at,
        l.last_cursor, l.turn_count, l.open_turns, s.created_at, l.last_user_at, l.last_character_at`
      /** Read through the index `turn_stages_crisis`. Evals are left out. */
      const crises = (sql: Sql, since: Date) => sql`
        select app_id, session_id, max(started_at) as crisis_at,
          (array_agg(decision order by started_at desc))[1] as crisis
        from turn_stages
        where stage in ('safety', 'grounding') and decision like 'crisis%' and started_at >= ${since}
          and ${isNotShadow(sql)}
        group by 1, 2`

      /** The sessions that an index finds. A reference alone is looked up in each app. */
      const scanned = (
        sql: Sql,
        { appId, externalUserRef, characterSlug, crisisSince }: SessionSearchFilter,
        before: string | null
      ) => {
        const below = sql`${before === null ? sql`true` : sql`s.session_id < ${before}`}
          and ${
            crisisSince === null
              ? sql`true`
              : sql`(s.app_id, s.session_id) in (select app_id, session_id from (${crises(sql, crisisSince)}) c)`
          }`
        if (appId === null && externalUserRef !== null) {
          return sql`
          select x.* from app_figures f cross join lateral (
            select s.* from sessions s
            where s.app_id = f.app_id and s.external_user_ref = ${externalUserRef} and ${below}
            order by s.session_id desc limit ${MAX_SCANNED}::int
          ) x order by x.session_id desc limit ${MAX_SCANNED}::int`
        }
        return sql`
        select s.* from sessions s
        where ${appId === null ? sql`not starts_with(s.app_id, 'evr_')` : sql`s.app_id = ${appId}`}
          and ${externalUserRef === null ? sql`true` : sql`s.external_user_ref = ${externalUserRef}`}
          and ${appId === null || characterSlug === null ? sql`true` : sql`s.character_slug = ${characterSlug}`}
          and ${below}
        order by s.session_id desc limit ${MAX_SCANNED}::int`
      }

      const list = Effect.fnUntraced(function* (
        filter: SessionSearchFilter,
        { before, limit }: { readonly before: string | null; readonly limit: number }
      ) {
        const { characterSlug, status, crisisSince } = filter
        const rows = yield* query<Array<FoundSession>>(
          (sql) => sql`
        select ${columns(sql)}, ${
          crisisSince === null ? sql`null::timestamptz as crisis_at, null::text as crisis` : sql`d.crisis_at, d.crisis`
        }
        from (${scanned(sql, filter, before)}) s join session_logs l using (app_id, session_id)
        ${crisisSince === null ? sql`` : sql`join (${crises(sql, crisisSince)}) d using (app_id, session_id)`}
        where (${characterSlug}::text is null or s.character_slug = ${characterSlug})
          and (${status}::text is null or l.status = ${status})
        order by s.session_id desc limit ${limit + 1}::int`
        )
        if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]!.session_id }
        const [last] = yield* query<Array<{ session_id: string }>>(
          (sql) => sql`
        select session_id from (${scanned(sql, filter, before)}) s
        order by session_id desc offset ${MAX_SCANNED - 1}::int limit 1`
        )
        return { rows, next: last?.session_id ?? null }
      })

      return SessionSearch.of({
        list,
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
