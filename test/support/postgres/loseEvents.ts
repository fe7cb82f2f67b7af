import type { TestDatabase } from "#test/support/TestDatabase.ts"

/** Takes from a log what came after this cursor, as a failover does to a standby that lacked it. */
export const loseEvents = ({ sql }: TestDatabase, session: string, after: number) =>
  sql.begin(async (sql) => {
    await sql`update session_logs set last_cursor = ${after} where session_id = ${session}`
    await sql`delete from events where session_id = ${session} and cursor > ${after}`
  })
