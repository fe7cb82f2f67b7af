import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * How long a unit of work waits after its process died, if it had crashed `before` times already (1 or more): up to 10,
 * 30 and 90 seconds. Each unit waits for a random time, so only the one that kills the process reaches the cap.
 */
export const waitApart = (sql: Sql, before: postgres.PendingQuery<postgres.Row[]>) =>
  sql`random() * interval '10 seconds' * 3 ^ (${before} - 1)`
