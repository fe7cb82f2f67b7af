import type { Table } from "#src/db/postgres/catalogue/Table.ts"

const PLAYS = { not: "what evals play, not what they play with" }

export const tables: ReadonlyArray<Table> = [
  { name: "eval_results", owners: { app: "app_id" } },
  { name: "eval_runs", owners: { app: "app_id", character: "character_slug" }, copied: PLAYS },
  { name: "eval_suites", owners: { app: "app_id", character: "character_slug" }, copied: PLAYS }
]
