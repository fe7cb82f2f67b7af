import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import type * as Schema from "effect/Schema"
import type { TaskList } from "graphile-worker"
import { repeatForever } from "#channels/repeatForever.ts"
import { Database } from "#src/db/postgres/Database.ts"
import { knownPrimaryOf } from "#src/db/postgres/primary.ts"
import { crontabOf } from "./crontab.ts"
import { type JobPool, startJobPool } from "./jobPool.ts"
import { Membership } from "./Membership.ts"
import type { Task } from "./task.ts"

/** How long work that jobs have started may take to finish after a stop request. The rest is released. */
const DRAIN = "4 seconds"

export interface RunnerOptions<R> {
  readonly tasks: ReadonlyArray<Task<R>>
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number
  /** Resolves once no background work that jobs have started is running. */
  readonly idle: Effect.Effect<void, never, R>
}

/**
 * Runs jobs with graphile-worker. A job is only a wake-up, and the tables hold the state. A sweeper finds what no job
 * covers.
 */
export const layer = <R>({ tasks, concurrency, idle }: RunnerOptions<R>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { directUrl: url, query } = yield* Database
      const membership = yield* Membership
      const fibers = yield* FiberSet.make()
      const runPromise = yield* FiberSet.runtimePromise(fibers)<R>()

      // A payload that no version of ours can read is parked with its error, because a retry would not help.
      const park = (name: string, payload: unknown, error: Schema.SchemaError) =>
        Effect.logError("job parked: its payload cannot be read", { task: name, error: error.message }).pipe(
          Effect.andThen(
            query(
              (sql) => sql`
        select graphile_worker.add_job('parked',
          ${JSON.stringify({ task: name, payload, error: error.message })}::text::json)`
            )
          )
        )
      const taskList: TaskList = Object.fromEntries(
        tasks.map(({ name, work }) => [
          name,
          (payload: unknown) =>
            runPromise(
              work(payload).pipe(
                Effect.catchTag("SchemaError", (error) => park(name, payload, error)),
                Effect.asVoid
              )
            )
        ])
      )

      const start = startJobPool({ url, concurrency, taskList, crontab: crontabOf(tasks) }).pipe(
        Effect.tap(({ id }) => membership.usePool(id))
      )
      const stop = ({ runner, id }: JobPool) =>
        Effect.gen(function* () {
          const stopped = runner.stop().catch(() => {})
          yield* Effect.andThen(FiberSet.awaitEmpty(fibers), idle).pipe(Effect.timeoutOption(DRAIN))
          // An interrupt that waits on a dead connection, for up to the limit in `answered`, must not delay the next
          // pool.
          const given = yield* Effect.forkDetach(Fiber.interruptAll([...fibers]))
          yield* Fiber.await(given).pipe(Effect.timeoutOption("1 second"))
          yield* Effect.promise(() => stopped).pipe(Effect.timeoutOption("2 seconds"))
          yield* query((sql) => sql`select graphile_worker.force_unlock_workers(array[${id}]::text[])`).pipe(
            Effect.timeout("1 second"),
            Effect.ignore
          )
        })

      // After a failover, graphile-worker would keep trying the server that it was connected to. The worker's own lock
      // is held again on the new one. How long it was lost does not matter: its connection has another number.
      const moved = ({ server }: JobPool) => {
        let seen = Option.none<number>()
        return membership.connection.pipe(
          Effect.flatMap((connection) => {
            if (Option.isNone(connection) || connection.value === Option.getOrNull(seen)) return Effect.succeed(false)
            return Effect.map(
              Effect.promise(() => knownPrimaryOf(Redacted.value(url))),
              (primary) => {
                if (primary !== null) seen = connection
                return primary !== null && primary !== server
              }
            )
          }),
          Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("250 millis") })
        )
      }

      // graphile-worker ends when it loses the database. We do not: unless we asked it to end, a new one is started.
      const started = yield* Deferred.make<void>()
      // A pool that could not start has nothing to report: it is tried again several times a second.
      let running = false
      const pool = Effect.acquireUseRelease(
        start,
        (pool) => {
          running = true
          return Deferred.succeed(started, undefined).pipe(
            Effect.andThen(
              Effect.raceFirst(
                Effect.tryPromise(() => pool.ended),
                moved(pool)
              )
            )
          )
        },
        stop
      )
      yield* repeatForever(
        "250 millis",
        pool.pipe(
          Effect.ignore,
          Effect.andThen(() => {
            const ran = running
            running = false
            return ran ? Effect.logWarning("job pool ended: starting another") : Effect.void
          })
        )
      ).pipe(Effect.annotateLogs({ service: "Runner" }), Effect.forkScoped)
      yield* Deferred.await(started)
    })
  )
