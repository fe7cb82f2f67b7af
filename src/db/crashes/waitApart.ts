import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"

/**
 * How long something waits that was in a process which died, and that had crashed `before` times until then, from once
 * on: up to 10, 30 and 90 seconds. Each waits for a time of its own, so that the one that kills comes to the cap alone.
 */
export const waitApart = (sql: Sql, before: postgres.PendingQuery<postgres.Row[]>) =>
  sql`random() * interval '10 seconds' * 3 ^ (${before} - 1)`
