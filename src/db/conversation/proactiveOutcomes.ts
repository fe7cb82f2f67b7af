import type { Sql } from "#src/db/postgres/Database.ts"

/** What a decision `d` came to, by the turn `t` that was begun by it: one that came to nothing was not sent. */
export const decidedOf = (sql: Sql) =>
  sql`case when t.outcome is null or t.outcome = 'replied' then d.decision else 'skipped' end`
/** And what it was skipped by. */
export const skippedByOf = (sql: Sql) =>
  sql`case t.outcome when 'failed' then 'failed' when 'exited' then 'session_exited' when 'withheld'
    then coalesce(t.failure_reason, 'withheld') else d.skipped_by end`
