import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Database } from "#src/db/postgres/Database.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { KEY_ENDED } from "#src/db/tenancy/ApiKeys.ts"
import { MoveRefused } from "./MoveRefused.ts"

/** A request that was authenticated before the hold ends within this time: keys are cached for a second. */
const REQUESTS_END_MS = 1500
/** Work that has begun is waited for until then. A turn takes tens of seconds. */
const WORK_ENDS_MS = 3 * 60_000
const LOOK_EVERY = "100 millis"

/** Where an app moves to. */
export interface Destination {
  /** The code of the new cell. */
  readonly cell: string
  /** Its database, as `identify` has it. */
  readonly database: string
}

/**
 * Stops everything that an app does, as a suspension does, until it is in the new cell. Each statement that takes up
 * something for the app checks this. Returns where it moves to, which is elsewhere if that move has begun before.
 */
export const holdApp = Effect.fnUntraced(function* (appId: string, { cell, database: into }: Destination) {
  const database = yield* Database
  const { query, transaction } = database
  return yield* transaction(
    Effect.gen(function* () {
      const before = yield* query<Array<Destination>>(
        (sql) => sql`
        select coalesce(reason, '') as cell, coalesce(moves_into, '') as database from telegram_holds
        where scope = ${appId} and kind = 'move' and released_at is null for update`
      )
      if (before[0] !== undefined) return before[0]
      yield* query(
        (sql) => sql`
        insert into telegram_holds as h (scope, kind, reason, moves_into) values (${appId}, 'move', ${cell}, ${into})
        on conflict (scope, kind) do update set released_at = null, since = now(), reason = excluded.reason,
          moves_into = excluded.moves_into`
      )
      yield* auditing(database)({ appId, action: "app.moved", detail: { to: cell } })
      // For processes that have one of these keys cached, or a stream open for it.
      yield* query(
        (sql) => sql`
        select pg_notify(${KEY_ENDED}, prefix) from api_keys where app_id = ${appId} and revoked_at is null`
      )
      return { cell, database: into }
    })
  )
})

/** What is refunded sooner is older than any call, so its process has died. The new cell refunds it. */
const ABANDONED = "7 minutes"

/** What workers are still doing for the app. */
const workOf = (appId: string) =>
  Database.use(({ query }) =>
    query<Array<{ work: string }>>(
      (sql) => sql`
      select 'a reply' as work where exists (select from turns
        where app_id = ${appId} and outcome is null and owner is not null)
      union all select 'a delivery' where exists (select from lanes where app_id = ${appId} and owner is not null)
      union all select 'a Telegram update' where exists (select from telegram_updates
        where app_id = ${appId} and owner is not null and done_at is null)
      union all select 'a proactive check' where exists (select from relationships
        where app_id = ${appId} and check_lease is not null)
      union all select 'a picture' where exists (select from images where app_id = ${appId} and status = 'generating')
      union all select 'an eval' where exists (select from eval_runs
        where app_id = ${appId} and finished_at is null and owner is not null)
      union all select 'research' where exists (select from research
        where app_id = ${appId} and status = 'running' and owner is not null)
      union all select 'a readiness probe' where exists (select from readiness_probes
        where app_id = ${appId} and status = 'running' and owner is not null)
      union all select 'a call of a model' where exists (select from open_expenses
        where app_id = ${appId} and refund_at > now() + ${ABANDONED}::interval)
      union all select 'an export' where exists (select from exports
        where app_id = ${appId} and status = 'running' and owner is not null)`
    )
  )

/** Waits until no transaction that has written before the hold is open, and no work that began before is going on. */
export const awaitStandstill = Effect.fnUntraced(function* (appId: string) {
  const { query } = yield* Database
  const startedAt = yield* Clock.currentTimeMillis
  const [since] = yield* query<[{ at: string }]>((sql) => sql`select now()::text as at`)
  while (true) {
    const [open] = yield* query<[{ earlier: boolean }]>(
      (sql) => sql`
        select exists (select from pg_stat_activity where datname = current_database() and backend_xid is not null
          and xact_start < ${since.at}::text::timestamptz) as earlier`
    )
    const work = yield* workOf(appId)
    const waited = (yield* Clock.currentTimeMillis) - startedAt
    if (!open.earlier && work.length === 0 && waited > REQUESTS_END_MS) return
    if (waited > WORK_ENDS_MS)
      return yield* new MoveRefused({
        reason: "busy",
        message: `${work[0]?.work ?? "a transaction"} takes longer than three minutes, so the app stays where it is`
      })
    yield* Effect.sleep(LOOK_EVERY)
  }
})
