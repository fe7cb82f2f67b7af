import postgres from "postgres"
import { clockSeconds, histogram, QUICK_SECONDS } from "#pipeline/telemetry/metric.ts"
import { toPrimary } from "./primary.ts"
import { classify } from "./sqlState.ts"

const beginSeconds = histogram(
  "troupe_database_begin_seconds",
  "Time until a transaction had a connection of the pool and had begun",
  QUICK_SECONDS
)

/** An array element. Most need no escapes, and every column of every batch passes here. */
const quoted = (text: string) =>
  `"${text.includes('"') || text.includes("\\") ? text.replaceAll("\\", "\\\\").replaceAll('"', '\\"') : text}"`
type List = ReadonlyArray<string | number | null>
/** Serializes arrays. None are received, only rows and JSON. */
const arrays = (oid: number) => ({
  to: oid,
  from: [],
  parse: (text: string): List => [text],
  serialize: (list: List) =>
    `{${list.map((item) => (item === null || typeof item === "number" ? String(item) : quoted(item))).join(",")}}`
})

/**
 * int8 is parsed as a number: cursors and micro-USD stay far below 2^53. The array types that we send are listed here,
 * because postgres.js would otherwise query them on every new connection. If the server goes away at that moment, the
 * failure is uncaught and the process ends.
 */
const types = {
  bigint: { to: 20, from: [20], parse: Number, serialize: String },
  texts: arrays(1009),
  ints: arrays(1007),
  bigints: arrays(1016)
}
type Types = { bigint: number; texts: List; ints: List; bigints: List }

export type Sql = postgres.ISql<Types>
export type Pool = postgres.Sql<Types>
export type Query = postgres.PendingQuery<postgres.Row[]>

/**
 * Our statements are long and find their rows by key. Planning takes as long as running them, and JIT compilation
 * longer. A plan from when a table was small must not keep scanning it sequentially after it has grown.
 */
const PLANNING = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" }

/** How long closing a lost connection may take. */
const CLOSING_MS = 1000

/**
 * postgres.js ends a failed transaction by writing `rollback`, even if it failed because its connection was lost. That
 * write throws where it cannot be caught, and the process ends (porsager/postgres#1208). So such a transaction is
 * neither completed nor failed here; closing its connection fails it.
 */
const withoutWritesAfterClose = (pool: Pool): Pool => {
  const original = pool.begin as <A>(work: (sql: postgres.TransactionSql<Types>) => unknown) => Promise<A>
  const begin = <A>(work: (sql: postgres.TransactionSql<Types>) => Promise<A>): Promise<A> => {
    let over = false
    const calledAt = clockSeconds()
    const begun = original<A>(
      (sql) =>
        new Promise<A>((resolve, reject) => {
          beginSeconds.record(clockSeconds() - calledAt)
          work(sql).then(
            (value) => over || resolve(value),
            (error: unknown) => {
              if (classify(error).reason === "refused") return over || reject(error)
              return setTimeout(() => over || reject(error), CLOSING_MS)
            }
          )
        })
    )
    const finished = () => {
      over = true
    }
    begun.then(finished, finished)
    return begun
  }
  return Object.assign(pool, { begin })
}

/**
 * postgres.js writes a query behind one without parameters that has no answer yet. If it has parameters itself, it asks
 * for their types first. A pooler does not count that question: after the first answer it gives the session to somebody
 * else, and the second one never arrives. Here no query is written behind another one, except in a transaction, which
 * keeps its session. The result of `onexecute` says whether the connection takes another query.
 */
const withoutPipelining = (pool: Pool): Pool =>
  new Proxy(pool, {
    apply: (target, self, args) => {
      const built: unknown = Reflect.apply(target, self, args)
      if (built instanceof Promise && "options" in built)
        Object.assign(built.options as object, { onexecute: () => false })
      return built
    }
  })

/** Without this limit, a connection whose other end has silently vanished is only closed after a quarter of an hour. */
export const ANSWER_WITHIN_MS = 15_000

/**
 * The server aborts a statement by itself after this time. It is longer than our own timeout, so that statements
 * without a waiting caller release their locks and connections.
 */
const STATEMENT_TIMEOUT_MS = ANSWER_WITHIN_MS + 1000

/**
 * Our transactions wait for nothing but the server. One that is idle this long belongs to a process that is suspended
 * or gone, and others wait for its locks.
 */
const SILENT_TRANSACTION_MS = 5000

/**
 * The delay before a lost connection is reopened, in seconds. postgres.js would count failures over all connections of
 * a pool and increase the delay up to 20 seconds, so after a short crash the whole pool would be unavailable for that
 * long.
 */
const reconnectAfter = (): number => 0.1 + Math.random() * 0.2

/** What is set in each session, as `pg_settings` writes it. */
export const SESSION_SETTINGS = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
  ...PLANNING
}

interface PoolOptions {
  /**
   * Whether the address is that of a pooler in transaction mode. It accepts no settings, so the role must have them.
   * Each statement may run in another session, where nothing is prepared.
   */
  readonly isPooled?: boolean
  /** How long a connection may be idle before it is closed. Default: forever. */
  readonly idleSeconds?: number
}

/** A pool of PostgreSQL connections through postgres.js. Its defects are fixed here and in `patches/`. */
export const openPool = (url: string, max: number, { isPooled = false, idleSeconds }: PoolOptions = {}): Pool => {
  const pool = withoutWritesAfterClose(
    postgres(url, {
      ...toPrimary(url),
      max,
      types,
      fetch_types: false,
      onnotice: () => {},
      connect_timeout: 10,
      keep_alive: 30,
      backoff: reconnectAfter,
      ...(isPooled ? { prepare: false } : {}),
      ...(idleSeconds === undefined ? {} : { idle_timeout: idleSeconds }),
      connection: { application_name: "troupe", ...(isPooled ? {} : SESSION_SETTINGS) }
    })
  )
  return isPooled ? withoutPipelining(pool) : pool
}

/** A query without an answer in this time counts as unreachable, and it is unknown whether it ran. */
export const withAnswerTimeout = <A>(answer: PromiseLike<A>, giveUp: () => void = () => {}): Promise<A> =>
  new Promise<A>((resolve, reject) => {
    const timer = setTimeout(() => {
      giveUp()
      reject(Object.assign(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`), { code: "ETIMEDOUT" }))
    }, ANSWER_WITHIN_MS)
    answer.then(resolve, reject).then(() => clearTimeout(timer))
  })

/**
 * A transaction that stays open until `end`. Uses `begin` instead of `reserve`, which never answers if it has to open a
 * connection of a pool that fetches no types.
 */
export interface OpenTransaction {
  readonly sql: Sql
  readonly end: (commit: boolean) => Promise<unknown>
  /** Why its connection was lost. After that nothing may be written to it. */
  lostBy: unknown
  /** Actions to run after the commit. */
  readonly afterwards: Array<() => void>
}

export const begin = (pool: Pool) =>
  new Promise<OpenTransaction>((opened, failed) => {
    const rolledBack = new Error("rolled back")
    const open = { lostBy: null as unknown }
    const ended = pool
      .begin(
        (sql) =>
          new Promise<void>((commit, rollback) => {
            const end = (success: boolean) => {
              if (open.lostBy !== null) {
                rollback(open.lostBy)
                return Promise.reject(open.lostBy)
              }
              if (success) commit()
              else rollback(rolledBack)
              return ended
            }
            opened(Object.assign(open, { sql, end, afterwards: [] }))
          })
      )
      .catch((error: unknown) => {
        failed(error)
        if (error === rolledBack) return
        open.lostBy ??= error
        throw error
      })
    ended.catch(() => {})
  })
