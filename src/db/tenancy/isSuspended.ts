import type { Query, Sql } from "#src/db/postgres/postgres.ts"

/**
 * Whether the operator has suspended this app. Evaluated once per statement, from a table that is normally empty,
 * however many rows are checked.
 */
export const isSuspended = (sql: Sql, appId: Query) =>
  sql`array(select scope from telegram_holds where kind = 'app' and released_at is null) && array[${appId}]`
