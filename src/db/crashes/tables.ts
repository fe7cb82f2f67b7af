import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [{ name: "crashed_units", owners: { app: "app_id" } }]
