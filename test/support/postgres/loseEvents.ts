import type { TestDatabase } from "#test/support/TestDatabase.ts"

/** Marks a database as one that was restored from a backup, which may lack events that readers have seen. */
export const markRestored = ({ sql }: TestDatabase) => sql`
  insert into feed_epochs (epoch, name, identity, shift, first_position)
  select epoch + 1, 'restored', identity, shift, first_position from feed_epochs order by epoch desc limit 1`

/** Takes from a log what came after this cursor, as a failover does to a standby that lacked it. */
export const loseEvents = ({ sql }: TestDatabase, session: string, after: number) =>
  sql.begin(async (sql) => {
    await sql`update session_logs set last_cursor = ${after} where session_id = ${session}`
    await sql`delete from events where session_id = ${session} and cursor > ${after}`
  })
