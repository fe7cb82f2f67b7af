import type postgres from "postgres"
import { membersOf, nameOf } from "./types.ts"
import type { Unknown } from "./Unknown.ts"

/** What the driver says of a value by what it is; of all others it lets PostgreSQL say what they are. */
const SAID: Readonly<Record<string, number>> = { boolean: 16, Uint8Array: 17, Buffer: 17, Date: 1184 }

/** What is sent beside a statement, under the type that the driver says by itself. */
export const parameter = (sql: postgres.Sql, given: Unknown) => {
  const said = new Set(membersOf(given.type).map((member) => SAID[nameOf(member)]))
  said.delete(undefined)
  return sql.typed(given as never, [...said][0] ?? 0)
}
