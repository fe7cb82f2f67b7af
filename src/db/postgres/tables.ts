import type { Table } from "./catalogue/Table.ts"

/** The tables of the database itself. */
export const tables: ReadonlyArray<Table> = [
  { name: "secrets_check", retention: { bounded: "one row" }, owners: {} },
  { name: "schema_migrations", retention: { bounded: "one row for each migration" }, owners: {} },
  { name: "write_probe", retention: { bounded: "one row" }, owners: {} }
]
