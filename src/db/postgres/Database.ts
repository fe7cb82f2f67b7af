import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { countersBy } from "#pipeline/telemetry/metric.ts"
import {
  ANSWER_WITHIN_MS,
  withAnswerTimeout,
  begin,
  openPool,
  type OpenTransaction,
  type Pool,
  type Query,
  type Sql
} from "./postgres.ts"
import { makeFairPlaces } from "./fairPlaces.ts"
import { classify, isStartRefused, READ_ONLY } from "./sqlState.ts"
import { CurrentUnit } from "#src/units/currentUnit.ts"

export type { Pool, Sql } from "./postgres.ts"

/** What a pooler that accepts no settings means, and what to do. */
export const START_REFUSED =
  "a pooler refuses the settings of connections. In transaction mode, set DATABASE_DIRECT_URL to the server itself"

/**
 * `unreachable`: the connection failed or timed out, or the server is shutting down, so the fate of a commit may be
 * unknown. `refused`: the server answered with an error, so nothing was committed.
 */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  reason: Schema.Literals(["unreachable", "refused"]),
  sqlState: Schema.NullOr(Schema.String),
  cause: Schema.Defect()
}) {
  override get message() {
    const hint = isStartRefused(this.cause) ? `: ${START_REFUSED}` : ""
    return `database ${this.reason}${this.sqlState === null ? "" : ` (${this.sqlState})`}${hint}`
  }
}

const errors = countersBy(
  "troupe_database_errors_total",
  "Statements and transactions that failed, by reason",
  "reason",
  ["unreachable", "refused"]
)

export const toDatabaseError = (cause: unknown): DatabaseError => {
  if (cause instanceof DatabaseError) return cause
  const error = new DatabaseError({ ...classify(cause), cause })
  errors(error.reason).add()
  return error
}

/**
 * For the statements of one transaction: they run in order, but are pipelined without waiting for each other's results.
 */
export const MAX_TOGETHER = { concurrency: "unbounded" } as const

/** How often the connections to a server that takes no writes are closed. */
const LEAVE_EVERY_MS = 1000

/** Connections to the server itself for migrations, backups and checks, if a pooler is in front of it. */
const MAX_SESSIONS = 2
/** They are rarely used. */
const SESSION_IDLE_SECONDS = 20

/** Connections that transactions may not use. Single statements, such as sends, must not wait for long transactions. */
const LEFT_TO_STATEMENTS = 4

/** The open transaction of this fiber, if any. */
const Transaction = Context.Reference<OpenTransaction | undefined>("src/db/Transaction", {
  defaultValue: () => undefined
})

/** PostgreSQL. The only service that opens a pool. */
export class Database extends Context.Service<
  Database,
  {
    /**
     * The address of the server itself. For a connection that has to stay one session, because it holds a lock or
     * listens.
     */
    readonly directUrl: Redacted.Redacted<string>
    /** Whether a pooler in transaction mode is between `pool` and the server. */
    readonly isPooled: boolean
    /** Connections to the server itself, to listen, to migrate and to back up. The same as `pool` without a pooler. */
    readonly sessions: Pool
    /** The pool itself, for the batched statements of the hot paths, which manage their own transactions. */
    readonly pool: Pool
    /**
     * One query, on the open transaction or else on the pool. One that is given up comes to its end on the server,
     * unheard, or to its time-out: a request to cancel names a connection and not a query, and as queries follow each
     * other closely on a connection, it would hit the next one.
     * The type of its rows is given with the query and never inferred; `test/db/postgres/statements.test.ts` checks it.
     */
    readonly query: <A extends ReadonlyArray<unknown> = ReadonlyArray<unknown>>(
      build: (sql: Sql) => Query & PromiseLike<unknown>
    ) => Effect.Effect<NoInfer<A>, DatabaseError>
    /** Commits when the effect succeeds. Rolls back when it fails, dies or is interrupted. Nested calls join. */
    readonly transaction: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseError, R>
    /** Runs the action after the open transaction commits, or at once if there is none. */
    readonly afterCommit: (action: () => void) => Effect.Effect<void>
  }
>()("src/db/postgres/Database") {
  static readonly layer = (options: {
    readonly url: Redacted.Redacted<string>
    /** The server itself, if `url` leads to a pooler in transaction mode. */
    readonly directUrl?: Redacted.Redacted<string> | null
    readonly maxConnections: number
  }) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const open = (...options: Parameters<typeof openPool>) =>
          Effect.acquireRelease(
            Effect.sync(() => openPool(...options)),
            (sql) => Effect.promise(() => sql.end({ timeout: 3 }))
          )
        const { url, directUrl = null, maxConnections } = options
        const isPooled = directUrl !== null
        const pool = yield* open(Redacted.value(url), maxConnections, { isPooled })
        const sessions = isPooled
          ? yield* open(Redacted.value(directUrl), MAX_SESSIONS, { idleSeconds: SESSION_IDLE_SECONDS })
          : pool
        // A demoted primary may keep its connections. They are closed, so that the next ones lead to the new primary.
        // Those of other databases stay: a database may take no writes for reasons of its own.
        let leftAt = -Infinity
        const toError = (cause: unknown): DatabaseError => {
          const error = toDatabaseError(cause)
          if (error.sqlState === READ_ONLY && performance.now() > leftAt + LEAVE_EVERY_MS) {
            leftAt = performance.now()
            pool`
              select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and usename = current_user and application_name like 'troupe%'
              order by pid = pg_backend_pid()`.catch(() => {})
          }
          return error
        }
        const attempt = <A>(start: () => PromiseLike<A>) =>
          Effect.tryPromise({ try: () => withAnswerTimeout(start()), catch: toError })

        const query = <A extends ReadonlyArray<unknown>>(build: (sql: Sql) => Query & PromiseLike<unknown>) =>
          Effect.flatMap(Transaction, (transaction) =>
            Effect.tryPromise({
              try: () => {
                if (transaction !== undefined && transaction.lostBy !== null) return Promise.reject(transaction.lostBy)
                const answer = withAnswerTimeout(build(transaction?.sql ?? pool) as unknown as PromiseLike<A>)
                return transaction === undefined
                  ? answer
                  : answer.catch((error: unknown) => {
                      if (classify(error).reason === "unreachable") transaction.lostBy ??= error
                      throw error
                    })
              },
              catch: toError
            })
          )

        const withPlace = makeFairPlaces(Math.max(1, maxConnections - LEFT_TO_STATEMENTS))
        const noPlace = Effect.fail(
          new DatabaseError({
            reason: "unreachable",
            sqlState: null,
            cause: new Error(`no connection within ${ANSWER_WITHIN_MS} ms`)
          })
        )
        const inPlace = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R> =>
          Effect.flatMap(CurrentUnit, (unit) =>
            withPlace(
              unit?.appId ?? "",
              self,
              Effect.timeoutOrElse({ duration: ANSWER_WITHIN_MS, orElse: () => noPlace })
            )
          )

        const transaction = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R> =>
          Effect.flatMap(Transaction, (open): Effect.Effect<A, E | DatabaseError, R> =>
            open !== undefined
              ? self
              : inPlace(
                  Effect.acquireUseRelease(
                    attempt(() => begin(pool)),
                    (transaction) => Effect.provideService(self, Transaction, transaction),
                    ({ end, afterwards }, exit) =>
                      Effect.tap(
                        attempt(() => end(Exit.isSuccess(exit))),
                        () =>
                          Effect.sync(() => {
                            if (Exit.isSuccess(exit)) for (const action of afterwards) action()
                          })
                      )
                  )
                )
          )

        const afterCommit = (action: () => void) =>
          Effect.flatMap(Transaction, (open) =>
            Effect.sync(() => {
              if (open === undefined) action()
              else open.afterwards.push(action)
            })
          )

        return Database.of({ directUrl: directUrl ?? url, isPooled, sessions, pool, query, transaction, afterCommit })
      })
    )
}
