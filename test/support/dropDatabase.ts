import type postgres from "postgres"
import { until } from "./until.ts"

const PATIENCE_MS = 5_000

/**
 * Drops a database once nobody is connected to it any more, or at the latest after five seconds. A connection that is on its way out when its
 * backend is ended for it says so to nobody, which would end the process.
 */
export const dropDatabase = async (admin: postgres.Sql, name: string): Promise<void> => {
  const isLeft = async () => (await admin`select 1 from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`).length === 0
  await until("everybody to have left the database", isLeft, PATIENCE_MS).catch(() => {})
  await admin`drop database if exists ${admin(name)} with (force)`
}
