import type { Sql } from "#src/db/postgres/Database.ts"

/** The result of a decision `d`, by the turn `t` that it started. A turn that was withheld was not sent. */
export const decidedOf = (sql: Sql) =>
  sql`case when t.outcome is null or t.outcome = 'replied' then d.decision else 'skipped' end`
/** Why it was skipped. */
export const skippedByOf = (sql: Sql) =>
  sql`case t.outcome when 'failed' then 'failed' when 'exited' then 'session_exited' when 'withheld'
    then coalesce(t.failure_reason, 'withheld') else d.skipped_by end`
