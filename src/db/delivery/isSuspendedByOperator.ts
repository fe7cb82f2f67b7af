import type { Query, Sql } from "#src/db/postgres/postgres.ts"

/** The scope of a suspension of all apps. */
export const ALL_APPS = "*"

/**
 * Whether the operator has suspended the bots of this app, or the whole app. Evaluated once per statement, from a table
 * that is normally empty, however many rows are checked.
 */
export const isSuspendedByOperator = (sql: Sql, appId: Query) =>
  sql`array(select scope from telegram_holds where released_at is null) && array[${ALL_APPS}, ${appId}]`

/** Whether a channel is stopped: by a hold on its app or on all deliveries, or by one of the kind that concerns it. */
export const isStopped = (sql: Sql, appId: Query, holdKind: Query) =>
  sql`exists (select from telegram_holds h
    where h.released_at is null and h.scope in (${ALL_APPS}, ${appId})
      and h.kind in ('app', 'move', 'delivery', ${holdKind}))`

/** Whether nothing is delivered to anybody, because the server was restored from a backup and not resumed. */
export const areDeliveriesOnHold = (sql: Sql) =>
  sql`exists (select from telegram_holds where kind = 'delivery' and released_at is null)`

/**
 * What `isSuspendedByOperator` and `isStopped` tell, for who puts aside what is held: the holds, locked until this has
 * been done, so that what a release finds there is all that there is. One that is being released is none any more; one
 * whose reason is just being changed is, which is why the lock is the weakest that a release waits for.
 */
export const lockSuspensions = (sql: Sql) =>
  sql`select scope, kind from telegram_holds where released_at is null for key share skip locked`
