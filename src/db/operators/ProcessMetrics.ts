import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { ChannelKinds } from "#channels/Channel.ts"
import { VERSION } from "#pipeline/domain/version.ts"
import { observedGauge } from "#pipeline/telemetry/metric.ts"
import { Backlog, type BacklogRow } from "./Backlog.ts"
import { Readiness } from "./Readiness.ts"

/** How long an export waits for the database. The other metrics must not be missing because it is away. */
const WAIT = "2 seconds"
/** How long an answer of the readiness check is used, however many read the metrics. */
const KEPT = "5 seconds"
/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION_MS = 10
const NANOSECONDS = 1e9

/** Metrics that are read when they are exported. */
export class ProcessMetrics extends Context.Service<
  ProcessMetrics,
  {
    /** Reads what has to be asked for. Afterwards, a snapshot of the registry has current values. */
    readonly refresh: Effect.Effect<void>
    /** All metrics of this process, as Prometheus text. */
    readonly text: Effect.Effect<string>
  }
>()("src/db/operators/ProcessMetrics") {
  static readonly layer = Layer.effect(
    ProcessMetrics,
    Effect.gen(function* () {
      const backlog = yield* Backlog
      let row: BacklogRow | null = null
      const { check } = yield* Readiness
      const checked = yield* check.pipe(
        Effect.map((problem) => problem === null),
        Effect.timeoutOrElse({ duration: WAIT, orElse: () => Effect.succeed(false) }),
        Effect.cachedWithTTL(KEPT)
      )
      let isReady = false
      let delay = Number.NaN

      /** NaN while the database cannot be read, so that no old value looks current. */
      const ofBacklog = (name: `troupe_${string}`, description: string, read: (row: BacklogRow) => number) =>
        observedGauge(name, description, () => (row === null ? Number.NaN : read(row)))
      yield* observedGauge("troupe_database_up", "1 if the database has answered the last query for metrics", () =>
        row === null ? 0 : 1
      )
      yield* observedGauge("troupe_ready", "1 if /readyz of this process answers 200", () => (isReady ? 1 : 0))
      yield* ofBacklog("troupe_turns_open", "Turns that have not ended, in all processes", (r) => r.open_turns)
      yield* ofBacklog(
        "troupe_oldest_due_turn_seconds",
        "How long the oldest due turn waits for a worker",
        (r) => r.oldest_due_turn ?? 0
      )
      yield* ofBacklog(
        "troupe_oldest_open_update_seconds",
        "Age of the oldest update from Telegram that is not handled",
        (r) => r.oldest_update ?? 0
      )
      yield* ofBacklog("troupe_jobs_ready", "Jobs that are due and not taken", (r) => r.ready_jobs)
      yield* ofBacklog("troupe_oldest_ready_job_seconds", "How long the oldest due job waits", (r) => r.oldest_job ?? 0)
      yield* ofBacklog(
        "troupe_database_replication_lag_seconds",
        "Largest replay lag of a standby",
        (r) => r.replication_lag ?? 0
      )
      yield* ofBacklog(
        "troupe_database_oldest_transaction_seconds",
        "Age of the oldest open transaction",
        (r) => r.oldest_transaction ?? 0
      )
      yield* ofBacklog(
        "troupe_clock_skew_seconds",
        "How far the clock of this machine is ahead of the database's",
        (r) => r.clock_skew
      )
      yield* ofBacklog("troupe_workers", "Registered workers, in all processes", (r) => r.workers)
      for (const kind of (yield* ChannelKinds).keys())
        yield* observedGauge(
          "troupe_oldest_ready_lane_seconds",
          "How long the oldest ready lane waits, by kind of channel",
          () => (row === null ? Number.NaN : (row.lanes[kind] ?? 0)),
          { kind }
        )

      const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
      yield* Effect.acquireRelease(
        Effect.sync(() => loop.enable()),
        () => Effect.sync(() => loop.disable())
      )
      yield* observedGauge(
        "troupe_event_loop_delay_p99_seconds",
        "99th percentile of the delay of the event loop since the last export",
        () => delay
      )
      yield* observedGauge("process_resident_memory_bytes", "Resident memory of this process", () =>
        process.memoryUsage.rss()
      )
      yield* observedGauge("troupe_build_info", "1, with the version", () => 1, { version: VERSION })

      const refresh = Effect.gen(function* () {
        delay = Math.max(0, loop.percentile(99) / NANOSECONDS - RESOLUTION_MS / 1000)
        loop.reset()
        const [sample, ready] = yield* Effect.all(
          [
            backlog.sample.pipe(
              Effect.timeout(WAIT),
              Effect.orElseSucceed(() => null)
            ),
            checked
          ],
          { concurrency: "unbounded" }
        )
        row = sample
        isReady = ready
      })
      const text = Effect.gen(function* () {
        yield* refresh
        const { format } = yield* Effect.promise(() => import("effect/observability/PrometheusMetrics"))
        return yield* format()
      })
      return ProcessMetrics.of({ refresh, text })
    })
  )
}
