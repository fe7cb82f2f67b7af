import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import postgres from "postgres"
import { classify } from "./sqlState.ts"

const escaped = (text: string) => text.replace(/["\\]/g, "\\$&")
type List = ReadonlyArray<string | number | null>
/** How arrays go out. None come back: rows and JSON do. */
const arrays = (oid: number) => ({
  to: oid,
  from: [],
  parse: (text: string): List => [text],
  serialize: (list: List) => `{${list.map((item) => item === null ? "null" : `"${escaped(String(item))}"`).join(",")}}`
})

/**
 * int8 comes back as a number: cursors and micro-USD stay far below 2^53.
 * The array types that we send are named here because postgres.js would ask the server for them on every new connection,
 * and when the server goes away in that moment nobody catches the failure: the process would end.
 */
const types = { bigint: { to: 20, from: [20], parse: Number, serialize: String }, texts: arrays(1009), ints: arrays(1007), bigints: arrays(1016) }
type Types = { bigint: number; texts: List; ints: List; bigints: List }

export type Sql = postgres.ISql<Types>
export type Pool = postgres.Sql<Types>

/** `unreachable`: the connection failed or the server is going away, so the fate of a commit may be unknown. `refused`: the server answered with an error, so nothing was committed. */
export class DatabaseError extends Schema.TaggedError<DatabaseError>()("DatabaseError", {
  reason: Schema.Literals(["unreachable", "refused"]),
  sqlState: Schema.NullOr(Schema.String),
  cause: Schema.Defect()
}) {
  override get message() {
    return `database ${this.reason}${this.sqlState === null ? "" : ` (${this.sqlState})`}`
  }
}

export const toDatabaseError = (cause: unknown): DatabaseError => new DatabaseError({ ...classify(cause), cause })

/**
 * Our statements are long and find their rows by key. Planning one anew takes as long as running it, compiling one longer;
 * and a plan made while a table was small must not go on reading the whole of it when it has grown.
 */
const PLANNING = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" }

/** How long a connection that seems to be gone may take to be closed. */
const CLOSING_MS = 1000

/**
 * postgres.js ends a failed transaction by writing `rollback`, even when it failed because its connection went away; writing there throws
 * where nobody can catch it, and the process ends (porsager/postgres#1208). So such a transaction neither fails nor succeeds by itself:
 * the closing of its connection fails it.
 */
const neverWritingToTheDead = (pool: Pool): Pool => {
  const original = pool.begin as <A>(work: (sql: postgres.TransactionSql<Types>) => unknown) => Promise<A>
  const begin = <A>(work: (sql: postgres.TransactionSql<Types>) => Promise<A>): Promise<A> => {
    let over = false
    const begun = original<A>((sql) => new Promise<A>((resolve, reject) => {
      work(sql).then(
        (value) => over || resolve(value),
        (error: unknown) => {
          if (classify(error).reason === "refused") return over || reject(error)
          return setTimeout(() => over || reject(error), CLOSING_MS)
        }
      )
    }))
    const finished = () => { over = true }
    begun.then(finished, finished)
    return begun
  }
  return Object.assign(pool, { begin })
}

/**
 * Asks the server to give up a query. `cancel` of postgres.js asks over a new connection and drops the promise of it: when the server
 * cannot be reached, as when callers leave because it is down, nobody would catch that, and the process would end.
 */
const cancel = (query: object) => {
  const { canceller } = query as { readonly canceller: ((query: object) => Promise<void>) | null }
  canceller?.(query).catch(() => {})
}

const openPool = (url: string, max: number): Pool =>
  neverWritingToTheDead(postgres(url, {
    max,
    types,
    fetch_types: false,
    onnotice: () => {},
    connect_timeout: 10,
    keep_alive: 30,
    connection: { application_name: "troupe", ...PLANNING }
  }))

/**
 * A transaction that stays open until `end`. By way of `begin` and not of `reserve`,
 * which never answers when it has to open a connection of a pool that fetches no types.
 */
interface OpenTransaction {
  readonly sql: Sql
  readonly end: (commit: boolean) => Promise<unknown>
  /** What went wrong with its connection: from then on nothing may be written there. */
  lostBy: unknown
}
const begin = (pool: Pool) => new Promise<OpenTransaction>((opened, failed) => {
  const rolledBack = new Error("rolled back")
  const open = { lostBy: null as unknown }
  const ended = pool.begin((sql) => new Promise<void>((commit, rollback) => {
    const end = (success: boolean) => {
      if (open.lostBy !== null) rollback(open.lostBy)
      else if (success) commit()
      else rollback(rolledBack)
      return ended
    }
    opened(Object.assign(open, { sql, end }))
  })).catch((error: unknown) => {
    failed(error)
    if (error === rolledBack) return
    open.lostBy ??= error
    throw error
  })
  ended.catch(() => {})
})

/** The open transaction of this fiber, if there is one. */
const Transaction = Context.Reference<OpenTransaction | undefined>("src/db/Transaction", { defaultValue: () => undefined })

/** PostgreSQL, by way of postgres.js. The only module that opens a pool. */
export class Database extends Context.Service<Database, {
  readonly url: Redacted.Redacted<string>
  /** The pool itself, for the batched statements of the hot paths, which manage their own transaction. */
  readonly pool: Pool
  /** One query, on the open transaction or else on the pool. An interrupted query is cancelled on the server. */
  readonly query: <A extends ReadonlyArray<unknown>>(build: (sql: Sql) => postgres.PendingQuery<postgres.Row[]> & PromiseLike<unknown>) => Effect.Effect<A, DatabaseError>
  /** Commits when the effect succeeds; rolls back when it fails, dies or is interrupted. Nested calls join. */
  readonly transaction: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseError, R>
}>()("src/db/Database") {
  static readonly layer = (options: { readonly url: Redacted.Redacted<string>; readonly maxConnections: number }) =>
    Layer.effect(Database, Effect.gen(function*() {
      const pool = yield* Effect.acquireRelease(
        Effect.sync(() => openPool(Redacted.value(options.url), options.maxConnections)),
        (sql) => Effect.promise(() => sql.end({ timeout: 3 }))
      )
      const attempt = <A>(start: () => PromiseLike<A>) => Effect.tryPromise({ try: start, catch: toDatabaseError })

      const query = <A extends ReadonlyArray<unknown>>(build: (sql: Sql) => postgres.PendingQuery<postgres.Row[]> & PromiseLike<unknown>) =>
        Effect.flatMap(Transaction, (transaction) =>
          Effect.tryPromise({
            try: (signal) => {
              if (transaction !== undefined && transaction.lostBy !== null) return Promise.reject(transaction.lostBy)
              const pending = build(transaction?.sql ?? pool)
              signal.addEventListener("abort", () => cancel(pending), { once: true })
              const answer = pending as unknown as PromiseLike<A>
              return transaction === undefined ? answer : answer.then(undefined, (error: unknown) => {
                if (classify(error).reason === "unreachable") transaction.lostBy ??= error
                throw error
              })
            },
            catch: toDatabaseError
          }))

      const transaction = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | DatabaseError, R> =>
        Effect.flatMap(Transaction, (open): Effect.Effect<A, E | DatabaseError, R> =>
          open !== undefined ? self : Effect.acquireUseRelease(
            attempt(() => begin(pool)),
            (transaction) => Effect.provideService(self, Transaction, transaction),
            ({ end }, exit) => attempt(() => end(Exit.isSuccess(exit)))
          ))

      return Database.of({ url: options.url, pool, query, transaction })
    }))
}
