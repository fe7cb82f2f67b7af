import type { Table } from "#src/db/postgres/catalogue/Table.ts"
import { monthOfLedger } from "./monthOfLedger.ts"

export const tables: ReadonlyArray<Table> = [
  { name: "ledger_mismatches", owners: { app: "app_id" } },
  {
    name: "allowances",
    owners: { app: "app_id", person: "external_user_ref" },
    erasure: {
      session: {
        before: (sql, { appId, sessionIds }) => sql`
          update allowances set sessions_erased_on = utc_today() where app_id = ${appId} and kind = 'end_user'
            and external_user_ref in (select external_user_ref from sessions
              where app_id = ${appId} and session_id = any(${[...sessionIds]}::text[]))`
      },
      person: "deleted"
    },
    exported: { not: "the app's caps, and counters of what ledger.json sums up" }
  },
  { name: "ledger_checks", owners: {} },
  {
    name: "ledger",
    owners: { app: "app_id", session: "session_id" },
    erasure: {
      session: { kept: "append-only: money stays on the books, by session" },
      app: { kept: "append-only: money stays on the books" }
    },
    exported: {
      file: "ledger.json",
      about: "What their conversations have cost, by month.",
      shape: "array",
      by: "person",
      rows: monthOfLedger
    }
  }
]
