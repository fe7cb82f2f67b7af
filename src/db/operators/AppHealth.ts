import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { ALL_APPS } from "#src/db/delivery/isSuspendedByOperator.ts"

/** Maximum number of turns of the last hour to evaluate, newest first. */
const MAX_TURNS = 5_000

export interface HealthRow {
  /** Sessions in which a person is waiting and no worker is active. */
  readonly waiting: number
  readonly oldest_age_seconds: number | null
  /** In the last hour. */
  readonly failed: number
  readonly rescued: number
  readonly last_ok_at: Date | null
  /** Attempts to write a reply in the last five minutes, and how many failed. */
  readonly written: number
  readonly went_wrong: number
  readonly backlog: number
  readonly failing_channels: number
  /** The app has bots, and the operator has suspended them. */
  readonly hold: { readonly since: string; readonly reason: string | null } | null
  /** Pictures that wait or are being generated, and failed ones of the last hour. */
  readonly images_open: number
  readonly images_failed: number
  readonly image_ok_at: Date | null
  /** The last heartbeat of a process that runs turns. */
  readonly heartbeat_at: Date | null
}

/** The state of an app: its own turns and channels, and whether workers are running. */
export class AppHealth extends Context.Service<
  AppHealth,
  {
    readonly of: (appId: string) => Effect.Effect<HealthRow, DatabaseError>
  }
>()("src/db/operators/AppHealth") {
  static readonly layer = Layer.effect(
    AppHealth,
    Effect.gen(function* () {
      const { query } = yield* Database
      return AppHealth.of({
        of: (appId) =>
          query<Array<HealthRow>>(
            (sql) => sql`
        with waiting as (
          select * from (select distinct on (session_id) owner, due_at from turns
            where app_id = ${appId} and outcome is null order by session_id, turn_index) t where owner is null
              and due_at <= now()
        ), t as materialized (
          select t.session_id, t.turn_index, t.outcome, t.crashes
          from (select session_id, turn_index from ledger
            where app_id = ${appId} and entry = 'hold' and at >= now() - interval '1 hour' order by at desc
              limit ${MAX_TURNS}::int) h
            join turns t on t.app_id = ${appId} and t.session_id = h.session_id and t.turn_index = h.turn_index
        ), written as materialized (
          select s.status, s.started_at from t
            join turn_stages s on s.app_id =
              ${appId} and s.session_id = t.session_id and s.turn_index = t.turn_index where s.stage = 'generation'
        )
        select (select count(*)::int from waiting) as waiting, (select extract(epoch from now() - min(due_at))::float8
          from waiting) as oldest_age_seconds,
          (select count(*) filter (where outcome = 'failed')::int from t) as failed,
            (select count(*) filter (where crashes > 0)::int from t) as rescued,
          (select max(started_at) from written where status = 'ok') as last_ok_at, w.written, w.went_wrong,
          (select count(*)::int from lanes
            where app_id = ${appId} and status = 'ready' and owner is null) + (select count(*)::int from lanes
              where app_id = ${appId} and status = 'waiting') as backlog,
          (select count(*)::int from channels where app_id = ${appId} and status = 'failing') as failing_channels,
          (select json_build_object('since', since, 'reason', reason) from telegram_holds where kind = 'telegram'
            and scope in (${ALL_APPS}, ${appId}) and released_at is null
            and exists (select from telegram_bots
              where app_id = ${appId} and status <> 'detached') order by since limit 1) as hold,
          (select count(*)::int from images
            where app_id = ${appId} and status in ('queued', 'generating')) as images_open,
          (select count(*)::int from images
            where app_id = ${appId} and status = 'failed'
              and finished_at >= now() - interval '1 hour') as images_failed,
          (select max(finished_at) from images
            where app_id = ${appId} and status = 'ready' and finished_at >= now() - interval '1 hour') as image_ok_at,
          (select max(heartbeat_at) from workers) as heartbeat_at
        from (select count(*)::int as written, count(*) filter (where status <> 'ok')::int as went_wrong from written
          where started_at >= now() - interval '5 minutes') w`
          ).pipe(Effect.map(([row]) => row!))
      })
    })
  )
}
