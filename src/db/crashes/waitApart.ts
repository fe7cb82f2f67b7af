import type postgres from "postgres"
import type { Sql } from "#src/db/postgres/Database.ts"
import { CRASH_LIMIT } from "#src/units/attempt.ts"

/** Every process reads each second which units are given up. After this time all of them know, also a slow one. */
const KNOWN_AFTER = "3 seconds"

/**
 * How long a unit of work waits after its process died, if it had crashed `before` times already (1 or more): 5 to 10,
 * 15 to 30 and 45 to 90 seconds. The waits are random, so that units restart separately, and only the one that kills
 * the process reaches the cap. They are never short, so that a unit that did no harm also outlasts a minute in which
 * processes are killed every few seconds.
 */
export const waitApart = (sql: Sql, before: postgres.PendingQuery<postgres.Row[]>) =>
  sql`(1 + random()) * interval '5 seconds' * 3 ^ (${before} - 1)`

/**
 * When a unit of work with this many crashes in `crashed_units` may be begun again. After its first crash it is at
 * once, as it was probably only beside what crashed. Null stands for none.
 */
export const beginsAgain = (sql: Sql, crashes: postgres.PendingQuery<postgres.Row[]>) => sql`
  now() + case when ${crashes} >= ${CRASH_LIMIT}::int then ${KNOWN_AFTER}::interval
    when ${crashes} > 1 then ${waitApart(sql, sql`(${crashes} - 1)`)} else interval '0' end`
