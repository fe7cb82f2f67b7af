import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import postgres from "postgres"
import { type DatabaseError, toDatabaseError } from "#src/db/postgres/Database.ts"
import { toPrimary } from "#src/db/postgres/primary.ts"
import { type Pulse, pulseStatement } from "./pulse.ts"

/** How long a heartbeat may take: over a connection that is half open there may be no answer for minutes. */
const HEARTBEAT_WITHIN = "5 seconds"
/** How often a lost connection is opened again. */
const AGAIN = Schedule.spaced("250 millis")

interface Session {
  readonly sql: postgres.Sql
  readonly pid: number
  /** Which connection of this process it is, counted over all its locks. */
  readonly connection: number
}
let connections = 0

interface Options {
  readonly url: string
  readonly workerId: string
  /** `again`: after the connection was lost. */
  readonly onHeld: (again: boolean) => Effect.Effect<void>
  readonly onAway: Effect.Effect<void>
}

/**
 * Holds the advisory lock of a worker's id on a connection of its own until the scope closes. If the connection is
 * lost, because the database restarts or fails over, the lock is taken again under the same id on the next one. It is
 * lost for good if another process has declared this one dead in the meantime: its row is gone then.
 */
export const holdWorkerLock = Effect.fnUntraced(function* ({ url, workerId, onHeld, onAway }: Options) {
  const lost = yield* Deferred.make<void>()
  const closed = new Set<postgres.Sql>()
  let session: Session | null = null
  let wake = yield* Deferred.make<void>()

  const leave = (sql: postgres.Sql) => {
    closed.add(sql)
    if (session?.sql !== sql) return
    session = null
    Deferred.doneUnsafe(wake, Effect.void)
  }
  const open = (): postgres.Sql => {
    const sql: postgres.Sql = postgres(url, {
      ...toPrimary(url),
      max: 1,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: null,
      keep_alive: 5,
      connect_timeout: 5,
      onnotice: () => {},
      connection: { application_name: "troupe-worker" },
      onclose: () => leave(sql)
    })
    return sql
  }
  const close = (sql: postgres.Sql) => Effect.promise(() => sql.end({ timeout: 1 }).catch(() => {}))
  const attempt = <A>(start: () => PromiseLike<A>) => Effect.tryPromise({ try: start, catch: toDatabaseError })

  const take = Effect.acquireUseRelease(
    Effect.sync(open),
    (sql) =>
      attempt(
        () => sql<Array<{ pid: number }>>`
        select pg_backend_pid() as pid from pg_advisory_lock(hashtextextended(${workerId}, 0))`
      ).pipe(
        Effect.map(([row]) => {
          if (!closed.has(sql)) session = { sql, pid: row?.pid ?? 0, connection: ++connections }
        })
      ),
    (sql) => (session?.sql === sql ? Effect.void : close(sql))
  )

  /** False: another process has declared this one dead. */
  const takeAgain = Effect.acquireUseRelease(
    Effect.sync(open),
    (sql) =>
      Effect.gen(function* () {
        // The server may not have noticed yet that the old connection is gone.
        yield* attempt(
          () => sql`
          select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objsubid = 1
            and pid <> pg_backend_pid() and granted
            and database = (select oid from pg_database where datname = current_database())
            and ((classid::bigint << 32) | objid::bigint) = hashtextextended(${workerId}, 0)`
        )
        const [row] = yield* attempt(
          () => sql<Array<{ pid: number; held: boolean }>>`
          select pg_backend_pid() as pid, pg_try_advisory_lock(hashtextextended(${workerId}, 0)) as held`
        )
        if (row?.held !== true) return yield* Effect.fail(toDatabaseError(new Error("the lock is held by another")))
        const known = yield* attempt(
          () => sql`update workers set heartbeat_at = now() where worker_id = ${workerId} returning 1`
        )
        if (known.length === 0) return false
        if (closed.has(sql)) return yield* Effect.fail(toDatabaseError(new Error("the connection closed again")))
        wake = yield* Deferred.make<void>()
        session = { sql, pid: row.pid, connection: ++connections }
        return true
      }).pipe(Effect.timeout(HEARTBEAT_WITHIN)),
    (sql) => (session?.sql === sql ? Effect.void : close(sql))
  )

  yield* take
  yield* onHeld(false)
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      const held = session
      session = null
      return held === null ? Effect.void : close(held.sql)
    })
  )
  const keep = Effect.suspend(() => Deferred.await(wake)).pipe(
    Effect.andThen(onAway),
    Effect.andThen(Effect.logWarning("the connection of the worker lock is lost: taking the lock again")),
    Effect.andThen(Effect.retry(takeAgain, AGAIN)),
    Effect.tap((again) => (again ? onHeld(true) : Deferred.succeed(lost, undefined))),
    Effect.repeat({ while: (again) => again })
  )
  yield* Effect.forkScoped(keep, { startImmediately: true })

  /** Runs a statement on the connection. */
  const run = <A>(start: (sql: postgres.Sql) => PromiseLike<A>): Effect.Effect<A, DatabaseError> =>
    attempt(() => (session === null ? Promise.reject(new Error("the worker lock is not held")) : start(session.sql)))
  /** Null: the connection is lost. */
  const heartbeat = Effect.suspend((): Effect.Effect<Pulse | null> => {
    const current = session
    if (current === null) return Effect.succeed(null)
    return attempt(
      () => current.sql<[Pulse]>`${pulseStatement<Record<never, never>>(current.sql, workerId, current.pid)}`
    ).pipe(
      Effect.timeout(HEARTBEAT_WITHIN),
      Effect.map(([pulse]) => pulse),
      Effect.tap(({ registered }) => (registered ? Effect.void : Deferred.succeed(lost, undefined))),
      Effect.catch(() =>
        Effect.andThen(
          Effect.sync(() => leave(current.sql)),
          Effect.forkDetach(close(current.sql))
        ).pipe(Effect.as(null))
      )
    )
  })
  return { connection: () => session?.connection ?? null, lost: Deferred.await(lost), heartbeat, run }
})
