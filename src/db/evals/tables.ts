import type { Table } from "#src/db/postgres/catalogue/Table.ts"

const PLAYS = { not: "what evals play, not what they play with" }

export const tables: ReadonlyArray<Table> = [
  {
    name: "eval_results",
    retention: { setting: "EVAL_RETENTION_DAYS", rows: "of finished runs" },
    owners: { app: "app_id" }
  },
  {
    name: "eval_runs",
    retention: { setting: "EVAL_RETENTION_DAYS", rows: "when they are finished, unless a kept run refers to them" },
    owners: { app: "app_id", character: "character_slug" },
    copied: PLAYS
  },
  {
    name: "eval_suites",
    retention: { bounded: "what the app has defined" },
    owners: { app: "app_id", character: "character_slug" },
    copied: PLAYS
  }
]
