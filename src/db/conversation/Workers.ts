import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { newId } from "#pipeline/domain/Id.ts"
import { CRASH_LIMIT } from "#src/units/attempt.ts"
import { vitals } from "#src/units/currentUnit.ts"
import { type GoneWorkers, HeldUnits } from "#src/db/crashes/HeldUnits.ts"
import { waitApart } from "#src/db/crashes/waitApart.ts"
import { countCrash } from "#src/db/crashes/countCrash.ts"
import { blameOf, countsCrash, type DeadWorker, NOBODY_KNOWN, uncountedOf } from "#src/db/crashes/stuckWorkers.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import { readAgain, readingJobsOf } from "./orphanReadings.ts"
import { isSuspended } from "#src/db/tenancy/isSuspended.ts"
import { LATE_AFTER, type Pulse, SILENT_AFTER, SWEEP_AFTER, type Watch, watchStatement } from "./pulse.ts"
import { rescuers } from "./rescuers.ts"
import { addTurnJobs } from "./turnJobs.ts"
import { holdWorkerLock } from "./workerLock.ts"

/** A registered worker. */
export interface Registration {
  readonly workerId: string
  /**
   * The number of the connection that holds the lock: another one after each time that it was lost. Null while it is
   * lost: nothing may be claimed until the lock is held again.
   */
  readonly connection: () => number | null
  /** Completes when the lock cannot be held any more. From then on nothing may be claimed under this id. */
  readonly lost: Effect.Effect<void>
  /** Records that this worker is alive, and reads what it has to know. Null: the connection is lost. */
  readonly heartbeat: Effect.Effect<Pulse | null>
  /** Sets the graphile-worker pool whose jobs are unlocked if this worker is found dead. */
  readonly usePool: (poolId: string) => Effect.Effect<void, DatabaseError>
}

export interface Rescue {
  readonly workers: number
  readonly turns: number
}

/**
 * The processes that run turns. Each holds the advisory lock of its id on its own connection, so PostgreSQL knows which
 * are dead: if another process can take the lock, its owner is gone.
 */
export class Workers extends Context.Service<
  Workers,
  {
    /**
     * Registers under a new id until the scope closes. The lock is taken before the row is written, so every row of a
     * live worker has a lock.
     */
    readonly register: Effect.Effect<Registration, DatabaseError, Scope.Scope>
    /** What a process that is no worker has to know of the workers. */
    readonly watch: Effect.Effect<Watch, DatabaseError>
    /**
     * Finds dead workers and releases their jobs and turns in one transaction. Also adds new jobs, because unlocking
     * wakes no worker.
     */
    readonly rescue: Effect.Effect<Rescue, DatabaseError>
    /** Takes the turn to sweep, unless a worker has taken it within the last second. */
    readonly takeSweep: (workerId: string) => Effect.Effect<boolean, DatabaseError>
    /** Releases turns of unregistered workers. Returns how many. */
    readonly releaseOwnerless: Effect.Effect<number, DatabaseError>
    /**
     * Wakes unclaimed turns that have been due for at least two seconds: each app's longest waiting first, apps in
     * turn, without these apps. Returns how many.
     */
    readonly wakeLate: (except: ReadonlyArray<string>) => Effect.Effect<number, DatabaseError>
  }
>()("src/db/conversation/Workers") {
  static readonly layer = Layer.effect(
    Workers,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction, directUrl } = database
      const heldUnits = yield* HeldUnits
      const holders = rescuers()

      const releaseUnits = (gone: GoneWorkers) =>
        Effect.forEach(heldUnits, (release) => release(gone), { discard: true }).pipe(
          Effect.provideService(Database, database)
        )

      /**
       * Releases what these workers hold, and requests other workers. The lock order is workers, budgets, sessions,
       * turns, as in a settlement: a transaction that writes turns of several sessions locks the sessions first.
       *
       * A turn that has killed its worker `CRASH_LIMIT` times is given up (`generation_failed`). If the monitor has
       * recorded what a worker was stuck in, only that turn is counted, or none. Otherwise it is unknown which turn
       * killed the worker, so all its turns are counted. The first time, all of them restart at once. From the second
       * time on, each waits for a random time of 5 to 10, 15 to 30 and 45 to 90 seconds (`waitApart`). So they restart
       * separately, and only the one that kills reaches the cap.
       */
      const free = Effect.fnUntraced(function* (owners: ReadonlyArray<string>, crashed: boolean, blame = NOBODY_KNOWN) {
        yield* query(
          (sql) => sql`
        select 1 from session_logs
        where (app_id, session_id) in (select app_id, session_id from turns
          where owner = any(${owners}::text[]) and outcome is null)
        order by app_id, session_id for no key update`
        )
        const [freed] = yield* query<Array<{ turns: number }>>(
          (sql) => sql`
        with freed as (
          update turns set owner = null, crashes = crashes + (${crashed} and ${countsCrash(sql, blame)})::int,
            due_at = case when ${crashed} and
              ${countsCrash(sql, blame)} and crashes between 1
                and ${CRASH_LIMIT - 2}::int then now() + ${waitApart(sql, sql`crashes`)} else due_at end
          where owner = any(${owners}::text[]) and outcome is null
          returning app_id, session_id, due_at
        ), nudged as (
          select ${addTurnJobs(sql, sql`select app_id, session_id from freed where due_at <= now()`)}
        )
        select count(*)::int as turns from freed, nudged`
        )
        return freed?.turns ?? 0
      })

      // Sessions that waited for a slot in the memory of the dead worker are unknown, so the oldest of all are woken.
      const nudgeWaiting = query(
        (sql) => sql`
      select ${addTurnJobs(
        sql,
        sql`
        select distinct app_id, session_id from (
          select app_id, session_id from turns where outcome is null and owner is null and due_at <= now()
            and not (${isSuspended(sql, sql`app_id`)}) order by due_at limit 1000
        ) w`
      )}`
      )

      // A worker that leaves by itself, because it stops or its lock was lost, has crashed no turn. Its turns are
      // released without counting.
      const retire = (workerId: string) =>
        transaction(
          Effect.gen(function* () {
            const gone = yield* query((sql) => sql`delete from workers where worker_id = ${workerId} returning 1`)
            if (gone.length === 0) return
            yield* Effect.andThen(nudgeWaiting, free([workerId], false))
            yield* releaseUnits({ crashed: [], stopped: [workerId] })
          })
        )

      // Jobs locked by a pool that no registered worker names. A worker may have died before it could name its pool,
      // and a pool that has lost the database cannot unlock its own. If a live worker has not named its pool yet,
      // unlocking its jobs does no harm: a job is only a wake-up.
      const unlockJobs = query(
        (sql) => sql`
      select graphile_worker.force_unlock_workers(array(
        select distinct locked_by from graphile_worker.jobs where locked_by is not null
          and locked_by not in (select pool_id from workers where pool_id is not null)
      ))`
      ).pipe(Effect.asVoid)

      const register = Effect.gen(function* () {
        const workerId = newId("wrk")
        const lock = yield* holdWorkerLock({
          url: Redacted.value(directUrl),
          workerId,
          onHeld: (again) => Effect.sync(() => holders.held(workerId, again)),
          onAway: Effect.sync(() => holders.away(workerId))
        })
        yield* Effect.acquireRelease(
          lock
            .run((sql) => sql`insert into workers (worker_id) values (${workerId})`)
            .pipe(Effect.tap(() => Effect.sync(() => vitals.nameWorker(workerId)))),
          () =>
            Effect.sync(() => holders.gone(workerId)).pipe(
              Effect.andThen(retire(workerId)),
              Effect.timeout("2 seconds"),
              Effect.ignore
            )
        )
        const usePool = (poolId: string) =>
          query((sql) => sql`update workers set pool_id = ${poolId} where worker_id = ${workerId}`).pipe(
            Effect.andThen(unlockJobs)
          )
        const { connection, lost, heartbeat } = lock
        return { workerId, connection, lost, heartbeat, usePool } satisfies Registration
      })

      // A host that vanished leaves its connection and lock open for a while. If its last heartbeat is ten seconds old,
      // the connection is terminated. Locks of other databases on the same server have nothing to do with it.
      const endSilentWorkers = query(
        (sql) => sql`
      select pg_terminate_backend(l.pid) from workers w
      join pg_locks l on l.locktype = 'advisory' and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(w.worker_id, 0)
      where w.heartbeat_at < now() - ${SILENT_AFTER}::interval`
      )

      const rescue = Effect.gen(function* () {
        if (!holders.mayRescue()) return { workers: 0, turns: 0 }
        yield* endSilentWorkers
        return yield* transaction(
          Effect.gen(function* () {
            const dead = yield* query<Array<DeadWorker>>(
              (sql) => sql`
          delete from workers where worker_id in (select worker_id from workers
            where pg_try_advisory_xact_lock(hashtextextended(worker_id, 0)))
          returning worker_id, pool_id, stuck_app_id, stuck_kind, stuck_unit, stuck_counted`
            )
            if (dead.length === 0) return { workers: 0, turns: 0 }
            const blame = blameOf(dead)
            for (const unit of uncountedOf(dead)) yield* query((sql) => countCrash(sql, unit))
            const pools = dead.flatMap(({ worker_id, pool_id }) =>
              pool_id === null || blame.known.includes(worker_id) ? [] : [pool_id]
            )
            const orphans = yield* query<Array<{ id: string }>>((sql) => readingJobsOf(sql, pools))
            yield* unlockJobs
            const jobs = orphans.map(({ id }) => id)
            if (jobs.length > 0) yield* query((sql) => readAgain(sql, jobs))
            yield* nudgeWaiting
            const owners = dead.map((worker) => worker.worker_id)
            const turns = yield* free(owners, true, blame)
            // After the turns: a settlement locks sessions and turns before anything else, too.
            yield* releaseUnits({
              crashed: owners.filter((owner) => !blame.known.includes(owner)),
              stopped: blame.known
            })
            return { workers: dead.length, turns }
          })
        )
      })

      // A session that is swept again keeps the queue position of its job. Otherwise it would never get to the front of
      // a long backlog.
      const wakeLate = (except: ReadonlyArray<string>) =>
        query(
          (sql) => sql`
      with oldest as (
        select distinct on (app_id, session_id) app_id, session_id, owner, due_at from turns where outcome is null
          and app_id <> all(${except}::text[]) and not (${isSuspended(sql, sql`app_id`)})
        order by app_id, session_id, turn_index
      ), late as (
        select *, row_number() over (partition by app_id order by due_at, session_id) as place from oldest
        where owner is null and due_at < now() - ${LATE_AFTER}::interval order by place, due_at, app_id limit 200
      )
      select graphile_worker.add_job('turn', json_build_object('sessions', json_build_array(json_build_array(app_id,
        session_id))),
        job_key := 'sweep:' || session_id, job_key_mode := 'preserve_run_at') from late`
        ).pipe(Effect.map((rows) => rows.length))

      const releaseOwnerless = Effect.gen(function* () {
        const unregistered = yield* query<Array<{ owner: string }>>(
          (sql) => sql`
        select distinct owner from turns t where outcome is null and owner is not null and not exists (select
          from workers w where w.worker_id = t.owner)`
        )
        if (unregistered.length === 0) return 0
        const owners = unregistered.map(({ owner }) => owner)
        return yield* transaction(free(owners, true))
      })

      const takeSweep = (workerId: string) =>
        query(
          (sql) => sql`
        update workers set swept_at = now() where worker_id = ${workerId}
          and not exists (select from workers where swept_at > now() - ${SWEEP_AFTER}::interval) returning 1`
        ).pipe(Effect.map((rows) => rows.length > 0))

      const self = newId("wrk")
      const watch = query<[Watch]>((sql) => watchStatement(sql, self)).pipe(Effect.map(([watch]) => watch))

      return Workers.of({ register, watch, rescue, takeSweep, releaseOwnerless, wakeLate })
    })
  )
}
