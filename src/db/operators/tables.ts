import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [
  {
    name: "app_figures",
    retention: { bounded: "one row for each app" },
    owners: { app: "app_id" },
    moved: { begins: "a roll-up computes them from the days" }
  },
  {
    name: "usage_days",
    retention: { kept: "sums for operators: a few rows for each app and day" },
    owners: { app: "app_id" },
    erasure: { app: { kept: "sums of the ledger, which is kept" } }
  },
  {
    name: "app_hours",
    retention: { bounded: "25 hours" },
    owners: { app: "app_id" },
    moved: { begins: "the last day of a cell" }
  },
  {
    name: "channel_hours",
    retention: { bounded: "25 hours" },
    owners: { app: "app_id" },
    moved: { begins: "the last day of a cell" }
  },
  {
    name: "channel_figures",
    retention: { bounded: "one row for each channel" },
    owners: { app: "app_id" },
    moved: { begins: "sums of the last day of a cell" }
  },
  { name: "rollups", retention: { bounded: "one row for each roll-up" }, owners: {} },
  {
    name: "operator_tokens",
    retention: { kept: "who could act; one row for each token that an owner has created" },
    owners: {}
  },
  { name: "operator_sessions", retention: { bounded: "until they expire" }, owners: {} },
  { name: "console_codes", retention: { bounded: "until they expire" }, owners: {} },
  {
    name: "alerts",
    retention: { kept: "what was wrong and when; one row for each alert" },
    owners: { app: "app_id" },
    moved: { begins: "what was wrong in a cell" }
  },
  { name: "alert_evaluation", retention: { bounded: "one row" }, owners: {} },
  { name: "processes", retention: { bounded: "one row for each running process" }, owners: {} },
  { name: "activity", retention: { bounded: "8 days" }, owners: {} },
  { name: "fleet_counts", retention: { bounded: "one row" }, owners: {} }
]
