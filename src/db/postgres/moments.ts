import type { Sql } from "./Database.ts"

/**
 * A moment as its ISO 8601 text in UTC, under its own name: what a date would be parsed to and printed again. `of`: the
 * table that it is in, where several have one of that name.
 */
export const iso = (sql: Sql, column: string, of?: string) =>
  sql`to_char(${sql(of === undefined ? column : `${of}.${column}`)} at time zone 'utc',
    'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${sql(column)}`
