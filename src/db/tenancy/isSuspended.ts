import type { Query, Sql } from "#src/db/postgres/postgres.ts"

/**
 * Whether the operator has suspended this app, or it is moving to another cell. Evaluated once per statement, from a
 * table that is normally empty, however many rows are checked.
 */
export const isSuspended = (sql: Sql, appId: Query) =>
  sql`array(select scope from telegram_holds where kind in ('app', 'move') and released_at is null) && array[${appId}]`

/** Whether this app is moving to another cell, which nothing may be written for any more. */
export const isMoving = (sql: Sql, appId: Query) =>
  sql`${appId} = any(array(select scope from telegram_holds where kind = 'move' and released_at is null))`
