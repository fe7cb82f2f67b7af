import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [
  { name: "operator_tokens", owners: {} },
  { name: "operator_sessions", owners: {} },
  { name: "console_codes", owners: {} }
]
