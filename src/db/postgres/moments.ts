import type { Sql } from "./Database.ts"

/** A timestamp column as ISO 8601 text in UTC, under its own name. It saves parsing and formatting dates. */
export const iso = (sql: Sql, column: string) =>
  sql`to_char(${sql(column)} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${sql(column)}`
