import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [
  { name: "app_figures", owners: { app: "app_id" } },
  {
    name: "usage_days",
    owners: { app: "app_id" },
    erasure: { app: { kept: "sums of the ledger, which is kept" } }
  },
  { name: "app_hours", owners: { app: "app_id" } },
  { name: "channel_hours", owners: { app: "app_id" } },
  { name: "channel_figures", owners: { app: "app_id" } },
  { name: "rollups", owners: {} },
  { name: "operator_tokens", owners: {} },
  { name: "operator_sessions", owners: {} },
  { name: "console_codes", owners: {} },
  { name: "alerts", owners: { app: "app_id" } },
  { name: "alert_evaluation", owners: {} },
  { name: "processes", owners: {} },
  { name: "activity", owners: {} },
  { name: "fleet_counts", owners: {} }
]
