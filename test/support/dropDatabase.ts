import type postgres from "postgres"
import { untilWithin } from "./until.ts"

/** No wait of a test: what is left then is ended. */
const GRACE_MS = 5_000

/**
 * Drops a database once it has no connections, or after five seconds at most. If a closing connection's backend is
 * terminated, the error is uncaught and ends the process. `with (force)` is refused to an ordinary role while
 * autovacuum works in the database, but a plain drop ends autovacuum by itself.
 */
export const dropDatabase = async (admin: postgres.Sql, name: string): Promise<void> => {
  const clients = admin`from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`
  const isLeft = async () => (await admin`select 1 ${clients}`).length === 0
  await untilWithin(GRACE_MS, "all connections to the database to close", isLeft).catch(() => {})
  await admin`select pg_terminate_backend(pid, 5000) ${clients}`
  await admin`drop database if exists ${admin(name)}`
}
