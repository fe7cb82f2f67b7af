import { shownEvent } from "#src/db/delivery/shownEvent.ts"
import { iso } from "#src/db/postgres/moments.ts"
import type { PageOf, Statement, Table } from "#src/db/postgres/catalogue/Table.ts"
import { recordMinorMark } from "./personMarks.ts"
import { releaseReservations } from "./settleEndedSessions.ts"

const OWNERS = { app: "app_id", session: "session_id" } as const
const HOW_ANSWERED = { not: "how replies were made; the replies are on the log" }

/** A cursor as text of one length, so that the order of the texts is that of the cursors. */
const CURSOR_FORM = "FM0000000000000000000"

const events: Statement<PageOf> = (sql, { appId, sessionId, after, limit }) => sql`
  select to_char(e.cursor, ${CURSOR_FORM}) as at, ${shownEvent(sql)} as row
  from events e join sessions s using (app_id, session_id)
  where e.app_id = ${appId} and e.session_id = ${sessionId} and e.cursor > coalesce(nullif(${after}, '')::bigint, 0)
  order by e.cursor limit ${limit}::int`

const sessions: Statement<PageOf> = (sql, { appId, externalUserRef, after, limit }) => sql`
  select r.id as at, to_json(r)::text as row from (
    select s.session_id as id, s.character_slug, s.external_user_ref, l.status, l.exit_reason, l.last_cursor,
      l.turn_count, s.metadata, ${iso(sql, "created_at", "s")}, ${iso(sql, "last_user_at", "l")},
      ${iso(sql, "last_character_at", "l")}
    from sessions s join session_logs l using (app_id, session_id)
    where s.app_id = ${appId} and s.external_user_ref = ${externalUserRef} and s.session_id > ${after}
    order by s.session_id limit ${limit}::int
  ) r order by r.id`

export const tables: ReadonlyArray<Table> = [
  {
    name: "turn_stages",
    retention: { setting: "TURN_RETENTION_DAYS", rows: "of closed turns" },
    owners: OWNERS,
    exported: HOW_ANSWERED
  },
  {
    name: "turns",
    retention: { setting: "TURN_RETENTION_DAYS", rows: "when they are closed" },
    owners: OWNERS,
    erasure: { session: { before: (sql, { appId, sessionIds }) => releaseReservations(sql, appId, sessionIds) } },
    exported: HOW_ANSWERED
  },
  {
    name: "sent_keys",
    retention: {
      kept: "an Idempotency-Key always returns the first result; one short row for each deleted turn that had one"
    },
    owners: OWNERS,
    exported: { not: "the app's own keys of sends" }
  },
  {
    name: "events",
    retention: { setting: "LOG_RETENTION_DAYS", rows: "once they are delivered and answered" },
    owners: OWNERS,
    exported: {
      file: "log/*.jsonl",
      about: "The event log of each session, one event per line, as over the API.",
      shape: "lines",
      by: "session",
      rows: events
    }
  },
  {
    name: "session_logs",
    retention: { bounded: "one row for each session" },
    owners: OWNERS,
    exported: { not: "in sessions.json" }
  },
  {
    name: "sessions",
    retention: { bounded: "one row for each session; erased with its person" },
    owners: { ...OWNERS, character: "character_slug", person: "external_user_ref" },
    copied: { not: "evals open sessions of their own" },
    exported: {
      file: "sessions.json",
      about: "Their sessions.",
      shape: "array",
      by: "person",
      rows: sessions
    }
  },
  {
    name: "minor_marks",
    retention: { kept: "an erasure does not make anybody older; one hash for each erased minor" },
    owners: { app: "app_id" },
    erasure: { person: { before: (sql, { appId, externalUserRef }) => recordMinorMark(sql, appId, externalUserRef) } }
  },
  {
    name: "consumer_leases",
    retention: { bounded: "until the consumer has acknowledged the events" },
    owners: OWNERS,
    exported: { not: "how far an app has read the logs" }
  },
  {
    name: "consumers",
    retention: { bounded: "one row for each consumer that the app has created" },
    owners: { app: "app_id" }
  },
  { name: "feed_trims", retention: { bounded: "one row for each app" }, owners: { app: "app_id" } },
  { name: "feed_epochs", retention: { bounded: "one row for each restore" }, owners: {} },
  {
    name: "safety_counts",
    retention: { kept: "counts that laws require each year; a few rows for each app and day" },
    owners: { app: "app_id" }
  },
  { name: "workers", retention: { bounded: "one row for each running worker" }, owners: {} }
]
