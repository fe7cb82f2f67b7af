import type { Query, Sql } from "#src/db/postgres/postgres.ts"

/** The scope of a suspension of all apps. */
export const ALL_APPS = "*"

/**
 * Whether the operator has suspended the bots of this app, or the whole app. Evaluated once per statement, from a table
 * that is normally empty, however many rows are checked.
 */
export const isHeld = (sql: Sql, appId: Query) =>
  sql`array(select scope from telegram_holds where released_at is null) && array[${ALL_APPS}, ${appId}]`

/**
 * The same for statements that park what is suspended: the suspensions are locked until the parking is done, so a
 * release sees everything that was parked. A suspension that is being lifted no longer counts. One whose reason is
 * being changed does, so this takes the weakest lock that a release waits for.
 */
export const holds = (sql: Sql) =>
  sql`select scope, kind from telegram_holds where released_at is null for key share skip locked`
