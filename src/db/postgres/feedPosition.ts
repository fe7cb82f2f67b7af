import type postgres from "postgres"
import type { Sql } from "./postgres.ts"

type Fragment = postgres.PendingQuery<postgres.Row[]>

/**
 * The position in the feed of events that this transaction appends to a log, whose row of `session_logs` it has locked
 * and whose last position is `last`. Each insert into `events` names it, and sets the log's own to the same.
 *
 * It is the number of the transaction, or that of an earlier one that appended to this log if that is higher: a
 * transaction gets its number before it has all of its locks, so one with a lower number may append later. Either way
 * no unfinished transaction has written below the oldest unfinished one, so a reader who stays below that misses
 * nothing, and the events of a log are in the order of its cursors.
 */
export const nextFeedPosition = (sql: Sql, last: Fragment) => sql`
  greatest(${last}, pg_current_xact_id()::text::bigint + ${shift(sql)})`

/** What is added to the numbers of transactions, which begin again in a database that was restored or moved. */
export const shift = (sql: Sql) => sql`(select f.shift from feed_epochs f order by f.epoch desc limit 1)`
