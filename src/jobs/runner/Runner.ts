import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { EventEmitter } from "node:events"
import { Logger, run, type Runner as GraphileRunner, type TaskList, type WorkerEvents } from "graphile-worker"
import { Courier } from "#channels/Courier.ts"
import { rounds } from "#channels/rounds.ts"
import { Alignment } from "#src/db/delivery/Alignment.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { BudgetWarnings } from "#src/db/billing/BudgetWarnings.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { CrashedUnits } from "#src/db/crashes/CrashedUnits.ts"
import { DeviceCodes } from "#src/db/tenancy/DeviceCodes.ts"
import { Erasures } from "#src/db/privacy/Erasures.ts"
import { ExpiredSandboxes } from "#src/db/privacy/ExpiredSandboxes.ts"
import { IdempotencyKeys } from "#src/db/tenancy/IdempotencyKeys.ts"
import { Imports } from "#src/db/character/Imports.ts"
import { Initiatives } from "#src/db/proactive/Initiatives.ts"
import { Ledger } from "#src/db/billing/Ledger.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { Retention } from "#src/db/privacy/Retention.ts"
import { RollingLimits } from "#src/db/tenancy/RollingLimits.ts"
import { StoredObjects } from "#src/db/character/StoredObjects.ts"
import { isShadow } from "#src/db/tenancy/shadow.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { Holds } from "#src/db/telegram/Holds.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"
import { Workers } from "#src/db/conversation/Workers.ts"
import { clearSandboxes } from "#src/jobs/privacy/clearSandboxes.ts"
import { EvalRunner } from "#src/jobs/evals/EvalRunner.ts"
import { initiate } from "#src/jobs/proactive/initiate.ts"
import { Studio } from "#src/jobs/character/Studio.ts"
import { Membership } from "./Membership.ts"
import { Rehearsals } from "#src/jobs/character/Rehearsals.ts"
import { Researches } from "#src/jobs/research/Researches.ts"
import { Arming } from "#src/jobs/telegram/Arming.ts"
import { Batches } from "#src/jobs/telegram/Batches.ts"
import { Intake } from "#src/jobs/telegram/Intake.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { task } from "./task.ts"
import { placesFor } from "./places.ts"
import { MAX_READING, TurnReader } from "#src/jobs/memory/TurnReader.ts"
import { TurnRunner } from "#src/jobs/conversation/TurnRunner.ts"

/**
 * Jobs at once: as many as sessions may be read, and half as many more for those that are over at once, such as the
 * wake-ups of turns.
 */
const CONCURRENCY = Math.ceil(placesFor(MAX_READING) * 1.5)
/** Jobs fetched ahead. Few, so that a backlog spreads over processes. */
const LOCAL_QUEUE = 50
/** How long running turns may take to finish once we are asked to stop. The rest is given back. */
const DRAIN = "4 seconds"

const Sessions = Schema.Struct({ sessions: Schema.Array(Schema.Tuple([Schema.String, Schema.String])) })
const refs = ({ sessions }: typeof Sessions.Type): ReadonlyArray<SessionRef> =>
  sessions.map(([appId, sessionId]) => ({ appId, sessionId }))

/** All of them, before the job fails for those that fail: one session must not keep the others of its job. */
const each = (
  sessions: ReadonlyArray<SessionRef>,
  drain: (session: SessionRef) => Effect.Effect<void, DatabaseError>
) =>
  Effect.forEach(
    sessions.filter(({ appId }) => !isShadow(appId)),
    (session) => Effect.exit(drain(session)),
    { concurrency: "unbounded" }
  ).pipe(Effect.flatMap((exits) => Effect.forEach(exits, (exit) => exit, { discard: true })))

// A job that stayed until its turns are answered would keep those of other apps from being fetched.
const turnTask = task(Sessions, (payload) =>
  TurnRunner.use((runner) => runner.wake(refs(payload).filter(({ appId }) => !isShadow(appId))))
)

// A reading has no sweeper: its job stays until it is done, and one that would wait for a place goes back to the table.
const relateTask = task(Sessions, (payload) =>
  TurnReader.use((reader) =>
    Effect.gen(function* () {
      const full: Array<SessionRef> = []
      yield* each(refs(payload), (session) =>
        Effect.flatMap(reader.isFull(session.appId), (isFull) =>
          isFull
            ? Effect.sync(() => {
                full.push(session)
              })
            : reader.drain(session)
        )
      )
      if (full.length > 0) yield* reader.putOff(full)
    })
  )
)

const expireTask = task(Schema.Unknown, () =>
  Effect.all(
    [
      IdempotencyKeys.use((keys) => keys.expire),
      DeviceCodes.use((codes) => codes.expire),
      RollingLimits.use((limits) => limits.expire),
      RateLimits.use((limits) => limits.expire),
      Imports.use((imports) => imports.expire),
      CrashedUnits.use((units) => units.expire)
    ],
    { discard: true }
  )
)

const deliverTask = task(Schema.Unknown, () => Courier.use((courier) => courier.wake))

const telegramTask = task(Schema.Unknown, () => Intake.use((intake) => intake.wake))

const managerTask = task(Schema.Unknown, () =>
  Effect.flatMap(
    Membership.use(({ current }) => current),
    Option.match({
      onNone: () => Effect.void,
      onSome: (owner) => Manager.use((manager) => manager.work(owner))
    })
  )
)

const batchesTask = task(Schema.Unknown, () => Batches.use((batches) => batches.work))

const probeTask = task(Schema.Unknown, () => Probe.use((probe) => probe.due))

const alignTask = task(Schema.Struct({ app_id: Schema.String, channel_id: Schema.String }), ({ app_id, channel_id }) =>
  Alignment.use((alignment) => alignment.finish(app_id, channel_id))
)

const releaseTask = task(Schema.Unknown, () => Holds.use((holds) => holds.finish))

const retainTask = task(Schema.Unknown, () => Retention.use((retention) => retention.apply))

const budgetsTask = task(Schema.Unknown, () => BudgetWarnings.use((warnings) => warnings.tell))

const recountTask = task(Schema.Struct({ app_id: Schema.optionalKey(Schema.String) }), ({ app_id }) =>
  Allowances.use((allowances) => allowances.recount(app_id === undefined ? null : [app_id]))
)

/** Every turn is looked at twice, so that one that ended late is seen whole. */
const RECONCILED = Duration.days(2)
const reconcileTask = task(Schema.Unknown, () =>
  Effect.gen(function* () {
    const since = new Date((yield* Clock.currentTimeMillis) - Duration.toMillis(RECONCILED))
    const { turns, mismatches } = yield* Ledger.use((ledger) => ledger.reconcile({ appId: null, since }))
    yield* Effect.logInfo("the books of turns were compared", { turns, mismatches: mismatches.length })
    yield* Effect.forEach(mismatches, (mismatch) => Effect.logError("the books of a turn do not agree", mismatch), {
      discard: true
    })
    yield* Allowances.use((allowances) => allowances.recount(null))
  })
)

const erasuresTask = task(Schema.Unknown, () => Erasures.use((erasures) => erasures.work))

const objectsTask = task(Schema.Unknown, () => StoredObjects.use((objects) => objects.sweep))

const imagesTask = task(Schema.Unknown, () => Studio.use((studio) => studio.work))

const sandboxesTask = task(Schema.Unknown, () => clearSandboxes)

const rehearseTask = task(Schema.Unknown, () => Rehearsals.use((rehearsals) => rehearsals.work))

const researchTask = task(Schema.Unknown, () => Researches.use((researches) => researches.work))

const initiateTask = task(Schema.Unknown, () => initiate)

const evalsTask = task(Schema.Unknown, () => EvalRunner.use((runner) => runner.work))

const realignTask = task(Schema.Unknown, () => Alignment.use((alignment) => alignment.nudge))

type Services =
  | Alignment
  | Allowances
  | Arming
  | Batches
  | BotRows
  | BudgetWarnings
  | Courier
  | CrashedUnits
  | DeviceCodes
  | Erasures
  | EvalRunner
  | ExpiredSandboxes
  | Holds
  | IdempotencyKeys
  | Imports
  | Initiatives
  | Intake
  | Ledger
  | Manager
  | Membership
  | Probe
  | RateLimits
  | Rehearsals
  | Researches
  | Retention
  | RollingLimits
  | StoredObjects
  | Studio
  | TurnReader
  | TurnRunner
const tasks: Record<string, (payload: unknown) => Effect.Effect<void, DatabaseError | Schema.SchemaError, Services>> = {
  turn: turnTask,
  relate: relateTask,
  deliver: deliverTask,
  telegram: telegramTask,
  manager: managerTask,
  probe: probeTask,
  batches: batchesTask,
  align: alignTask,
  release: releaseTask,
  realign: realignTask,
  expire: expireTask,
  retain: retainTask,
  budgets: budgetsTask,
  recount: recountTask,
  reconcile: reconcileTask,
  sandboxes: sandboxesTask,
  erasures: erasuresTask,
  objects: objectsTask,
  images: imagesTask,
  initiate: initiateTask,
  rehearse: rehearseTask,
  research: researchTask,
  evals: evalsTask
}
const CRONTAB = [
  "* * * * * probe",
  "* * * * * batches",
  "* * * * * manager",
  "17 * * * * expire ?fill=1h",
  "* * * * * realign",
  "* * * * * release",
  "23 3 * * * retain ?fill=1d",
  "* * * * * budgets ?queue=budgets",
  "47 3 * * * reconcile ?fill=1d",
  "*/10 * * * * sandboxes",
  "* * * * * erasures",
  "* * * * * initiate",
  "* * * * * rehearse",
  "* * * * * research",
  "* * * * * evals",
  "*/5 * * * * objects",
  "* * * * * images"
].join("\n")

const quiet = new Logger(() => () => {})

/** graphile-worker: a job is a wake-up, the tables hold the truth. What no job covers is found by the sweeper. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { url, query } = yield* Database
    const membership = yield* Membership
    const workers = yield* Workers
    const runningTurns = yield* TurnRunner
    const fibers = yield* FiberSet.make()
    const runPromise = yield* FiberSet.runtimePromise(fibers)<Services>()

    // A payload that no version of ours can read is set aside with its error: retrying would not mend it.
    const park = (name: string, payload: unknown, error: Schema.SchemaError) =>
      Effect.logError("job payload is not readable: parked", { task: name, error: error.message }).pipe(
        Effect.andThen(
          query(
            (sql) => sql`
        select graphile_worker.add_job('parked',
          ${JSON.stringify({ task: name, payload, error: error.message })}::text::json)`
          )
        )
      )
    const taskList: TaskList = Object.fromEntries(
      Object.entries(tasks).map(([name, work]) => [
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

    const start = Effect.tryPromise(() => {
      const events: WorkerEvents = new EventEmitter()
      let pool = ""
      events.on("pool:create", ({ workerPool }) => {
        pool = workerPool.id
      })
      // Its own promise may never settle once its connections are gone: that it shuts down tells of its end.
      const ended = new Promise<void>((resolve) => {
        events.on("pool:gracefulShutdown", () => resolve())
      })
      return run({
        connectionString: Redacted.value(url),
        maxPoolSize: 6,
        concurrency: CONCURRENCY,
        noHandleSignals: true,
        logger: quiet,
        events,
        taskList,
        crontab: CRONTAB,
        preset: { worker: { localQueue: { size: LOCAL_QUEUE }, completeJobBatchDelay: 5, failJobBatchDelay: 5 } }
      }).then((runner) => ({ runner, pool, ended: Promise.race([ended, runner.promise]) }))
    }).pipe(Effect.tap(({ pool }) => Effect.ignore(membership.usePool(pool))))
    const stop = ({ runner, pool }: { readonly runner: GraphileRunner; readonly pool: string }) =>
      Effect.gen(function* () {
        const stopped = runner.stop().catch(() => {})
        yield* Effect.andThen(FiberSet.awaitEmpty(fibers), runningTurns.idle).pipe(Effect.timeoutOption(DRAIN))
        // One that waits for a connection that is gone, which it may do for as long as `answered` lets it, must not
        // keep the next pool from starting.
        const given = yield* Effect.forkDetach(Fiber.interruptAll([...fibers]))
        yield* Fiber.await(given).pipe(Effect.timeoutOption("1 second"))
        yield* Effect.promise(() => stopped).pipe(Effect.timeoutOption("2 seconds"))
        yield* query((sql) => sql`select graphile_worker.force_unlock_workers(array[${pool}]::text[])`).pipe(
          Effect.timeout("1 second"),
          Effect.ignore
        )
      })

    // graphile-worker gives up when it loses the database. We do not: its end, unless we asked for it, is the start of
    // the next.
    const started = yield* Deferred.make<void>()
    const pool = Effect.acquireUseRelease(
      start,
      ({ ended }) => Deferred.succeed(started, undefined).pipe(Effect.andThen(Effect.tryPromise(() => ended))),
      stop
    )
    yield* rounds(
      "250 millis",
      pool.pipe(Effect.ignore, Effect.andThen(Effect.logWarning("job pool ended: starting another")))
    ).pipe(Effect.annotateLogs({ service: "Runner" }), Effect.forkScoped)
    yield* Deferred.await(started)

    const sweep = Effect.gen(function* () {
      yield* runningTurns.review
      const woken = yield* workers.sweep(yield* runningTurns.crowded)
      if (woken > 0) yield* Effect.logInfo("sweeper woke waiting turns", { turns: woken })
    }).pipe(
      Effect.catchTag("DatabaseError", (error) =>
        Effect.logWarning("sweeper could not look", { reason: error.message })
      )
    )
    yield* rounds("1 second", sweep).pipe(Effect.annotateLogs({ service: "Sweeper" }), Effect.forkScoped)
    // The first to go when the process stops: while running turns are given time, no other is begun.
    yield* Effect.addFinalizer(() => runningTurns.close)
  })
)
