import type { Table } from "#src/db/postgres/catalogue/Table.ts"

const HOW_DELIVERED = { not: "how the log was delivered" }

export const tables: ReadonlyArray<Table> = [
  {
    name: "lanes",
    retention: { bounded: "one row for each session and channel" },
    owners: { app: "app_id", session: "session_id" },
    exported: HOW_DELIVERED
  },
  {
    name: "delivery_attempts",
    retention: { setting: "DELIVERY_RETENTION_DAYS", rows: "always" },
    owners: { app: "app_id", session: "session_id" },
    exported: HOW_DELIVERED
  },
  {
    name: "channels",
    retention: { bounded: "one row for each channel that was added" },
    owners: { app: "app_id", session: "session_id" },
    erasure: { session: { kept: "where the app receives events: its own address and settings" } },
    exported: { not: "where the app receives events" }
  }
]
