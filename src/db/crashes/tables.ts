import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [
  {
    name: "crashed_units",
    retention: { bounded: "until a while after the last crash of the unit" },
    owners: { app: "app_id" },
    moved: { begins: "crashes of the processes of a cell" }
  }
]
