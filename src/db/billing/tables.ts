import type { Table } from "#src/db/postgres/catalogue/Table.ts"
import { monthOfLedger } from "./monthOfLedger.ts"

export const tables: ReadonlyArray<Table> = [
  {
    name: "ledger_mismatches",
    retention: { bounded: "one row for each app with a mismatch" },
    owners: { app: "app_id" },
    moved: { begins: "the new cell checks the ledger itself" }
  },
  {
    name: "allowances",
    retention: { bounded: "one row for each limited app and end-user" },
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
  {
    name: "open_expenses",
    retention: { bounded: "ten minutes: one row for each call of a model that is under way" },
    owners: { app: "app_id", session: "session_id" },
    erasure: { session: { kept: "the amount is settled or refunded, and the row is deleted then" } },
    exported: { not: "a reservation of the app, for minutes" }
  },
  { name: "ledger_checks", retention: { bounded: "90 days" }, owners: {} },
  {
    name: "ledger_day_models",
    retention: { kept: "the books: one row for each day, session, kind and model" },
    owners: { app: "app_id", session: "session_id" },
    erasure: {
      session: { kept: "sums of the ledger: what was used stays on the books, by session" },
      app: { kept: "sums of the ledger, which is kept" }
    },
    exported: { not: "the tokens of what ledger.json sums up" }
  },
  {
    name: "ledger_days",
    retention: { kept: "the books: one row for each day, session and kind" },
    owners: { app: "app_id", session: "session_id" },
    erasure: {
      session: { kept: "sums of the ledger: money stays on the books, by session" },
      app: { kept: "sums of the ledger, which is kept" }
    },
    exported: { not: "in ledger.json, with the ledger" }
  },
  {
    name: "ledger",
    retention: { bounded: "this month and the two before; then it is summed up by day" },
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
