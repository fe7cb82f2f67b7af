import type { Sql } from "#src/db/postgres/Database.ts"
import type { Query } from "#src/db/postgres/postgres.ts"

/** Where a page of a sorted list ends: the value that it is sorted by, as a whole number, and the id of the row. */
export interface Position {
  readonly value: number
  readonly id: string
}

/** A page of a list: how many rows, and those after which. */
export interface PageOf {
  readonly after: Position | null
  readonly limit: number
}

/** A time as a whole number: microseconds since 1970. Null: 0. */
export const microseconds = (sql: Sql, time: Query) => sql`coalesce((extract(epoch from ${time}) * 1000000)::int8, 0)`

/** The same time again. */
export const timeOf = (sql: Sql, value: number) =>
  sql`timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond'`

/** Whether a text contains a part, in upper or lower case. Null: any text does. */
export const has = (sql: Sql, text: Query, part: string | null) =>
  part === null ? sql`true` : sql`lower(${text}) like lower(${`%${part.replaceAll(/[\\%_]/g, "\\$&")}%`})`
