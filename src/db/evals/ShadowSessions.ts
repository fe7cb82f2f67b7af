import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StageName } from "#pipeline/domain/Turn.ts"
import type { Setup } from "#pipeline/evals/Suite.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { erase } from "#src/db/postgres/catalogue/erase.ts"
import { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { eraseSessions } from "#src/db/privacy/eraseSessions.ts"
import { Sessions } from "#src/db/conversation/Sessions.ts"
import { SHADOW_ACCOUNT } from "#src/db/tenancy/shadow.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/** What a run plays: a version of an app's character. */
export interface ShadowCharacter {
  readonly appId: string
  readonly runId: string
  readonly slug: string
  readonly version: number
}

/** All of a run, or one case of it. */
export interface PlayedCase {
  readonly runId: string
  readonly place: number | null
}

export interface TurnRef extends SessionRef {
  readonly turnIndex: number
}

/** A turn as stored. */
export interface StoredTurn {
  readonly outcome: "replied" | "withheld" | "exited" | "failed" | null
  readonly reason: string | null
  readonly cost_micro_usd: number
  readonly events: ReadonlyArray<{ readonly type: string; readonly bubbles: ReadonlyArray<string> | null }>
  readonly stages: ReadonlyArray<{
    readonly stage: StageName
    readonly decision: string | null
    readonly detail: {
      readonly memories?: ReadonlyArray<{ readonly id: string }>
      readonly cited_memory_ids?: ReadonlyArray<string>
    } | null
  }>
}

/** The person that a case is played with, by its index in the run. */
const personOf = (place: number): string => `eval-${place}`
/** Sessions erased per transaction. */
const SESSIONS_PER_STEP = 5
/** The sessions in which a run plays its cases, in a separate app: see `shadow.ts`. The app's id is that of the run. */
export class ShadowSessions extends Context.Service<
  ShadowSessions,
  {
    /** Creates the app with a copy of the character's version, its world and its evidence, unless it exists. */
    readonly openApp: (cast: ShadowCharacter) => Effect.Effect<void, DatabaseError>
    /** Opens a session for the case with this index at this time. */
    readonly open: (
      cast: ShadowCharacter,
      place: number,
      setup: Setup,
      seed: string,
      at: Date
    ) => Effect.Effect<{ readonly session: SessionRef; readonly greeting: ReadonlyArray<string> }, DatabaseError>
    /**
     * Dates what a turn has written so far at this time instead of the database's time, and skips the author's reply
     * delay.
     */
    readonly stamp: (turn: TurnRef, at: Date) => Effect.Effect<void, DatabaseError>
    readonly turn: (turn: TurnRef) => Effect.Effect<StoredTurn | undefined, DatabaseError>
    /** The cost of all existing turns. */
    readonly spent: (of: PlayedCase) => Effect.Effect<number, DatabaseError>
    /** Erases the sessions. */
    readonly erase: (of: PlayedCase) => Effect.Effect<void, DatabaseError>
    /** Deletes the app, too. */
    readonly closeApp: (runId: string) => Effect.Effect<void, DatabaseError>
  }
>()("src/db/evals/ShadowSessions") {
  static readonly layer = Layer.effect(
    ShadowSessions,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database
      const tables = yield* Tables
      const within = Effect.provideContext(yield* Effect.context<Database | Tables>())
      const sessions = yield* Sessions

      const openApp = Effect.fnUntraced(function* ({ appId, runId, slug, version }: ShadowCharacter) {
        yield* query(
          (sql) =>
            sql`insert into apps (app_id, account_id, name, environment)
              values (${runId}, ${SHADOW_ACCOUNT}, 'eval', 'test') on conflict do nothing`
        )
        for (const { copied } of tables.toReversed())
          if (typeof copied === "function") yield* query((sql) => copied(sql, { appId, slug, version, to: runId }))
      }, transaction)

      const open = Effect.fnUntraced(function* (
        { runId, slug }: ShadowCharacter,
        place: number,
        setup: Setup,
        seed: string,
        at: Date
      ) {
        const created = yield* sessions
          .create(runId, {
            characterSlug: slug,
            externalUserRef: personOf(place),
            proactiveControls: { proactive_enabled: false },
            metadata: {},
            endUser: {},
            newThread: true,
            seed
          })
          .pipe(Effect.catchTags({ CharacterUnavailable: Effect.die, QuotaReached: Effect.die }))
        const { session_id: sessionId } = created.session
        const { display_name = null, timezone = null, locale = null, age_band } = setup.end_user
        yield* query(
          (sql) => sql`
        update end_users set display_name =
          ${display_name}, timezone = ${timezone},
            locale = ${locale}, age_band =
              ${age_band ?? "unknown"} where app_id = ${runId} and external_user_ref = ${personOf(place)}`
        )
        yield* query(
          (sql) =>
            sql`update sessions set created_at =
              ${at.toISOString()}::timestamptz where app_id = ${runId} and session_id = ${sessionId}`
        )
        const said = yield* query<Array<{ bubbles: ReadonlyArray<string> }>>(
          (sql) => sql`
        update events set created_at =
          ${at.toISOString()}::timestamptz
            where app_id = ${runId} and session_id = ${sessionId} returning payload -> 'bubbles' as bubbles`
        )
        return { session: { appId: runId, sessionId }, greeting: said[0]?.bubbles ?? [] }
      }, transaction)

      const stamp = Effect.fnUntraced(function* ({ appId, sessionId, turnIndex }: TurnRef, at: Date) {
        const moment = at.toISOString()
        yield* query(
          (sql) => sql`
        with moved as (
          update turns set deferred = true, accepted_at = case when outcome is null
            then ${moment}::timestamptz else accepted_at end, settled_at = case when outcome is null then null
              else ${moment}::timestamptz end
          where app_id = ${appId} and session_id = ${sessionId} and turn_index = ${turnIndex}::int returning *
        ), logged as (
          update session_logs l set last_user_at =
            ${moment}::timestamptz, last_character_at = case when l.last_character_at is null then null
              else ${moment}::timestamptz end
          from moved m where l.app_id = m.app_id and l.session_id = m.session_id
        )
        update events e set created_at = ${moment}::timestamptz from moved m
        where e.app_id = m.app_id and e.session_id = m.session_id and e.trace_id = m.run_ref and (e.cursor > m.cursor
          or m.outcome is null)`
        )
      })

      const ofPlace = (sql: Sql, place: number | null) =>
        place === null ? sql`` : sql`and external_user_ref = ${personOf(place)}`
      const eraseSome = Effect.fnUntraced(
        function* ({ runId, place }: PlayedCase) {
          const some = yield* query<Array<{ session_id: string }>>(
            (sql) =>
              sql`select session_id from sessions
              where app_id = ${runId} ${ofPlace(sql, place)} order by session_id limit ${SESSIONS_PER_STEP}`
          )
          yield* eraseSessions(
            runId,
            some.map((row) => row.session_id)
          )
          return some.length
        },
        transaction,
        within
      )
      const erasePlayed = Effect.fnUntraced(function* (of: PlayedCase) {
        while ((yield* eraseSome(of)) > 0);
      })

      return ShadowSessions.of({
        openApp,
        open,
        stamp,
        turn: ({ appId, sessionId, turnIndex }) =>
          query<Array<StoredTurn>>(
            (sql) => sql`
        select t.outcome, t.failure_reason as reason, coalesce(t.cost_micro_usd, 0)::int8 as cost_micro_usd,
          coalesce((
            select json_agg(json_build_object('type', e.type, 'bubbles', e.payload -> 'bubbles') order by e.cursor)
              from events e
            where e.app_id = t.app_id and e.session_id = t.session_id and e.trace_id = t.run_ref and e.cursor > t.cursor
          ), '[]') as events,
          coalesce((
            select json_agg(json_build_object('stage', g.stage, 'decision', g.decision, 'detail', g.detail)
              order by g.seq) from turn_stages g
            where g.app_id = t.app_id and g.session_id = t.session_id and g.turn_index = t.turn_index
              and g.fence = t.fence
          ), '[]') as stages
        from turns t where t.app_id = ${appId} and t.session_id = ${sessionId} and t.turn_index = ${turnIndex}::int`
          ).pipe(Effect.map((rows) => rows[0])),
        spent: ({ runId, place }) =>
          query<[{ spent: number }]>(
            (sql) => sql`
        select coalesce(sum(cost_micro_usd), 0)::int8 as spent from turns join sessions using (app_id, session_id)
          where app_id = ${runId} ${ofPlace(sql, place)}`
          ).pipe(Effect.map(([{ spent }]) => spent)),
        erase: erasePlayed,
        closeApp: Effect.fnUntraced(function* (runId) {
          yield* erasePlayed({ runId, place: null })
          yield* transaction(within(erase("app", { appId: runId })))
        })
      })
    })
  )
}
