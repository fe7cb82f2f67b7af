import type { Table } from "./catalogue/Table.ts"

/** The tables of the database itself. */
export const tables: ReadonlyArray<Table> = [
  { name: "secrets_check", owners: {} },
  { name: "schema_migrations", owners: {} },
  { name: "write_probe", owners: {} }
]
