import postgres from "postgres"
import { classify } from "./sqlState.ts"

/** An array's element; most need no escapes, and each column of each batch comes through here. */
const quoted = (text: string) =>
  `"${text.includes('"') || text.includes("\\") ? text.replaceAll("\\", "\\\\").replaceAll('"', '\\"') : text}"`
type List = ReadonlyArray<string | number | null>
/** How arrays go out. None come back: rows and JSON do. */
const arrays = (oid: number) => ({
  to: oid,
  from: [],
  parse: (text: string): List => [text],
  serialize: (list: List) =>
    `{${list.map((item) => (item === null || typeof item === "number" ? String(item) : quoted(item))).join(",")}}`
})

/**
 * int8 comes back as a number: cursors and micro-USD stay far below 2^53.
 * The array types that we send are named here because postgres.js would ask the server for them on every new
 * connection, and when the server goes away in that moment nobody catches the failure: the process would end.
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
 * Our statements are long and find their rows by key. Planning one anew takes as long as running it, compiling one
 * longer; and a plan made while a table was small must not go on reading the whole of it when it has grown.
 */
const PLANNING = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off", jit: "off" }

/** How long a connection that seems to be gone may take to be closed. */
const CLOSING_MS = 1000

/**
 * postgres.js ends a failed transaction by writing `rollback`, even when it failed because its connection went away;
 * writing there throws where nobody can catch it, and the process ends (porsager/postgres#1208). So such a transaction
 * neither fails nor succeeds by itself: the closing of its connection fails it.
 */
const neverWritingToTheDead = (pool: Pool): Pool => {
  const original = pool.begin as <A>(work: (sql: postgres.TransactionSql<Types>) => unknown) => Promise<A>
  const begin = <A>(work: (sql: postgres.TransactionSql<Types>) => Promise<A>): Promise<A> => {
    let over = false
    const begun = original<A>(
      (sql) =>
        new Promise<A>((resolve, reject) => {
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

/** A connection whose other end has gone without a word is not closed for a quarter of an hour. */
export const ANSWER_WITHIN_MS = 15_000

/**
 * When the server gives up a statement of itself: after we have, so that what nobody waits for any more holds neither
 * locks nor connections.
 */
const STATEMENT_TIMEOUT_MS = ANSWER_WITHIN_MS + 1000

/**
 * A transaction of ours waits for nothing but the server: one that says nothing for so long belongs to a process that
 * is stopped or gone, and others wait for its locks.
 */
const SILENT_TRANSACTION_MS = 5000

/**
 * How long a lost connection waits before it is opened again, in seconds. postgres.js would count failures over all
 * connections of a pool and wait longer with each, up to 20 seconds: after a crash of a moment the whole pool would be
 * away for that long.
 */
const reconnectAfter = (): number => 0.1 + Math.random() * 0.2

/**
 * A pool of connections to PostgreSQL, by way of postgres.js, with what is amiss in it mended here and in `patches/`.
 */
export const openPool = (url: string, max: number): Pool =>
  neverWritingToTheDead(
    postgres(url, {
      max,
      types,
      fetch_types: false,
      onnotice: () => {},
      connect_timeout: 10,
      keep_alive: 30,
      backoff: reconnectAfter,
      connection: {
        application_name: "troupe",
        statement_timeout: STATEMENT_TIMEOUT_MS,
        idle_in_transaction_session_timeout: SILENT_TRANSACTION_MS,
        ...PLANNING
      }
    })
  )

/** What has no answer by then counts as unreachable, and whether it was done nobody knows. */
export const answered = <A>(answer: PromiseLike<A>, giveUp: () => void = () => {}): Promise<A> =>
  new Promise<A>((resolve, reject) => {
    const timer = setTimeout(() => {
      giveUp()
      reject(Object.assign(new Error(`no answer within ${ANSWER_WITHIN_MS} ms`), { code: "ETIMEDOUT" }))
    }, ANSWER_WITHIN_MS)
    answer.then(resolve, reject).then(() => clearTimeout(timer))
  })

/**
 * A transaction that stays open until `end`. By way of `begin` and not of `reserve`,
 * which never answers when it has to open a connection of a pool that fetches no types.
 */
export interface OpenTransaction {
  readonly sql: Sql
  readonly end: (commit: boolean) => Promise<unknown>
  /** What went wrong with its connection: from then on nothing may be written there. */
  lostBy: unknown
  /** What is to be done once it is committed. */
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
