import { iso } from "#src/db/postgres/moments.ts"
import type { Table } from "#src/db/postgres/catalogue/Table.ts"

export const tables: ReadonlyArray<Table> = [
  {
    name: "proactive_decisions",
    retention: { setting: "TURN_RETENTION_DAYS", rows: "of the sessions whose turns are deleted" },
    owners: { app: "app_id", session: "session_id" },
    exported: { not: "why a character wrote first or not; what it wrote is on the log" }
  },
  {
    name: "scheduled_messages",
    retention: { bounded: "what the app has scheduled; erased with the session" },
    owners: { app: "app_id", session: "session_id" },
    exported: {
      file: "scheduled_messages.json",
      about: "Messages that the app has scheduled for them.",
      shape: "array",
      by: "session",
      rows: (sql, { appId, sessionId, after, limit }) => sql`
        select r.id as at, to_json(r)::text as row from (
          select scheduled_id as id, session_id, ${iso(sql, "at")}, ${iso(sql, "until")}, text, topic,
            ${iso(sql, "created_at")}, ${iso(sql, "cancelled_at")}
          from scheduled_messages where app_id = ${appId} and session_id = ${sessionId} and scheduled_id > ${after}
          order by scheduled_id limit ${limit}::int
        ) r order by r.id`
    }
  },
  { name: "proactive_policies", retention: { bounded: "one row for each app" }, owners: { app: "app_id" } }
]
