import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [
  { name: "operator_tokens", owners: {} },
  { name: "operator_sessions", owners: {} },
  { name: "console_codes", owners: {} },
  { name: "alerts", owners: { app: "app_id" } },
  { name: "alert_evaluation", owners: {} },
  { name: "processes", owners: {} },
  { name: "activity", owners: {} },
  { name: "fleet_counts", owners: {} }
]
