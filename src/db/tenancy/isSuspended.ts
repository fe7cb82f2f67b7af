import type { Query, Sql } from "#src/db/postgres/postgres.ts"

/**
 * Whether the operator has suspended this app. Read once a statement, from a table that as a rule is empty, however
 * many rows are asked about.
 */
export const isSuspended = (sql: Sql, appId: Query) =>
  sql`array(select scope from telegram_holds where kind = 'app' and released_at is null) && array[${appId}]`
