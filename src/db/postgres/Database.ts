import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Semaphore from "effect/Semaphore"
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
import { classify } from "./sqlState.ts"

export type { Pool, Sql } from "./postgres.ts"

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
    return `database ${this.reason}${this.sqlState === null ? "" : ` (${this.sqlState})`}`
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
    readonly url: Redacted.Redacted<string>
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
  static readonly layer = (options: { readonly url: Redacted.Redacted<string>; readonly maxConnections: number }) =>
    Layer.effect(
      Database,
      Effect.gen(function* () {
        const pool = yield* Effect.acquireRelease(
          Effect.sync(() => openPool(Redacted.value(options.url), options.maxConnections)),
          (sql) => Effect.promise(() => sql.end({ timeout: 3 }))
        )
        const attempt = <A>(start: () => PromiseLike<A>) =>
          Effect.tryPromise({ try: () => withAnswerTimeout(start()), catch: toDatabaseError })

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
              catch: toDatabaseError
            })
          )

        const slots = yield* Semaphore.make(Math.max(1, options.maxConnections - LEFT_TO_STATEMENTS))
        const noSlot = Effect.fail(
          new DatabaseError({
            reason: "unreachable",
            sqlState: null,
            cause: new Error(`no connection within ${ANSWER_WITHIN_MS} ms`)
          })
        )
        const inPlace = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R> =>
          Effect.uninterruptibleMask((restore) =>
            restore(
              slots.take(1).pipe(Effect.timeoutOrElse({ duration: ANSWER_WITHIN_MS, orElse: () => noSlot }))
            ).pipe(Effect.andThen(Effect.ensuring(restore(self), slots.release(1))))
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

        return Database.of({ url: options.url, pool, query, transaction, afterCommit })
      })
    )
}
