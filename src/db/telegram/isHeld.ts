import type { Query, Sql } from "../postgres.ts"

/** What an operator stops at once. */
export const ALL_APPS = "*"

/** Whether the operator holds the bots of this app back. Read once a statement, from a table that as a rule is empty, however many rows are asked about. */
export const isHeld = (sql: Sql, appId: Query) => sql`array(select scope from telegram_holds) && array[${ALL_APPS}, ${appId}]`
