import type postgres from "postgres"
import { membersOf, nameOf } from "./types.ts"
import type { Unknown } from "./Unknown.ts"

/** The type that the driver declares for a value. It leaves all others to PostgreSQL. */
const SAID: Readonly<Record<string, number>> = { boolean: 16, Uint8Array: 17, Buffer: 17, Date: 1184 }

/** A parameter of a statement, with the type that the driver declares. */
export const parameter = (sql: postgres.Sql, given: Unknown) => {
  const said = new Set(membersOf(given.type).map((member) => SAID[nameOf(member)]))
  said.delete(undefined)
  return sql.typed(given as never, [...said][0] ?? 0)
}
