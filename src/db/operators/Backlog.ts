import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { aheadSeconds } from "#src/db/postgres/aheadSeconds.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"

/**
 * What waits in the database, and the state of the database itself. Ages and lags are in seconds; null: there is none.
 */
export interface BacklogRow {
  readonly open_turns: number
  readonly oldest_due_turn: number | null
  readonly oldest_update: number | null
  readonly ready_jobs: number
  readonly oldest_job: number | null
  readonly replication_lag: number | null
  readonly oldest_transaction: number | null
  readonly workers: number
  /** How far the clock of this machine is ahead of the database's. Negative: behind it. */
  readonly clock_skew: number
  readonly lanes: Readonly<Record<string, number>>
}

/** Rows of a kind that one sample reads. With more, a count is this one, and the oldest row may be another. */
const MAX_ROWS = 10_000
/** How many channels with ready lanes one sample visits. */
const MAX_CHANNELS = 1_000
/** A sample is used for this long, however many read it. */
const KEPT_MS = 5_000

/** The state of all queues. One query, at most every few seconds for each process, and never two at once. */
export class Backlog extends Context.Service<
  Backlog,
  {
    /** A sample of the last seconds. Readers that arrive together share one. */
    readonly sample: Effect.Effect<BacklogRow, DatabaseError>
  }
>()("src/db/operators/Backlog") {
  static readonly layer = Layer.effect(
    Backlog,
    Effect.gen(function* () {
      const { query } = yield* Database
      const run = yield* FiberSet.makeRuntime()
      let kept: { readonly row: BacklogRow; readonly until: number } | null = null
      let reading: Fiber.Fiber<BacklogRow, DatabaseError> | null = null

      const read = query<Array<Omit<BacklogRow, "clock_skew"> & { readonly now_ms: number }>>(
        (sql) => sql`
        with recursive visit as (
          (select app_id, channel_id, due_at, 1 as n from lanes where status = 'ready' and owner is null
            order by app_id, channel_id, due_at limit 1)
          union all
          select x.app_id, x.channel_id, x.due_at, v.n + 1 from visit v cross join lateral (
            select app_id, channel_id, due_at from lanes
            where status = 'ready' and owner is null and (app_id, channel_id) > (v.app_id, v.channel_id)
            order by app_id, channel_id, due_at limit 1
          ) x where v.n < ${MAX_CHANNELS}::int
        ), lane as (
          select c.kind, greatest(0, extract(epoch from now() - min(v.due_at)))::float8 as age from visit v
            join channels c on c.app_id = v.app_id and c.channel_id = v.channel_id group by 1
        )
        select t.n as open_turns, t.age as oldest_due_turn, u.age as oldest_update, j.n as ready_jobs,
          j.age as oldest_job, (select max(extract(epoch from replay_lag))::float8 from pg_stat_replication)
            as replication_lag,
          (select max(extract(epoch from now() - xact_start))::float8 from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()) as oldest_transaction,
          (select count(*)::int from workers) as workers,
          (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
          coalesce((select json_object_agg(kind, age) from lane), '{}'::json) as lanes
        from (
          select count(*)::int as n, extract(epoch from now() - min(due_at) filter (where owner is null
            and due_at <= now()))::float8 as age
          from (select due_at, owner from turns where outcome is null limit ${MAX_ROWS}::int) t
        ) t, (
          select extract(epoch from now() - min(received_at))::float8 as age
          from (select received_at from telegram_updates where done_at is null and due_at < 'infinity'
            limit ${MAX_ROWS}::int) u
        ) u, (
          select count(*)::int as n, extract(epoch from now() - min(run_at))::float8 as age
          from (select run_at from graphile_worker._private_jobs where is_available and run_at <= now()
            limit ${MAX_ROWS}::int) j
        ) j`
      ).pipe(Effect.map(([row]) => row!))

      const readAndKeep = Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        const { now_ms: database, ...rest } = yield* read
        const after = yield* Clock.currentTimeMillis
        const row: BacklogRow = { ...rest, clock_skew: aheadSeconds(before, database, after) }
        kept = { row, until: after + KEPT_MS }
        return row
      }).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            reading = null
          })
        )
      )
      // The query goes on if its readers give up, so that no second one joins it on a slow database.
      const sample = Effect.flatMap(Clock.currentTimeMillis, (now) =>
        kept !== null && now < kept.until ? Effect.succeed(kept.row) : Fiber.join((reading ??= run(readAndKeep)))
      )
      return Backlog.of({ sample })
    })
  )
}
