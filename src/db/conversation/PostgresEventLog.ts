import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EventLog, type LogChunk, type LogPosition, LogUnavailable } from "#channels/event-log/EventLog.ts"
import { ReadRoom } from "#channels/event-log/ReadRoom.ts"
import { Database, type Sql } from "#src/db/postgres/Database.ts"
import { shownEvent } from "#src/db/delivery/shownEvent.ts"
import { groupCommit } from "#src/db/postgres/GroupCommit.ts"

interface Read extends LogPosition {
  readonly limit: number
}
interface ChunkRow {
  readonly n: number
  readonly text: string | null
  readonly next_cursor: number | null
  readonly last_cursor: number
  readonly kept_after: number
  readonly is_beyond: boolean
}

const frame = (sql: Sql) =>
  sql`'id: ' || e.cursor || E'\nevent: ' || e.type || E'\ndata: ' || ${shownEvent(sql)} || E'\n\n'`

/**
 * A chunk ends with the event with which it reaches this: many readers may ask for large events at once. A stream keeps
 * its chunk for as long as its reader pauses.
 */
const MAX_BYTES = { json: 256 * 1024, sse: 64 * 1024 }

/**
 * Many reads in one statement. A standby may only be late, so only a primary says that `since` is beyond the end.
 * PostgreSQL concatenates the text of each chunk, so that one row per chunk is sent
 * instead of one per event.
 */
const readChunks = (sql: Sql, format: "json" | "sse", batch: ReadonlyArray<Read>) => sql<Array<ChunkRow>>`
  select w.n::int, e.text, e.next_cursor, l.last_cursor, l.kept_after,
    case when w.since > l.last_cursor then not pg_is_in_recovery() else false end as is_beyond
  from unnest(${batch.map((read) => read.appId)}::text[], ${batch.map((read) => read.sessionId)}::text[],
    ${batch.map((read) => read.since)}::bigint[],
      ${batch.map((read) => read.limit)}::int[]) with ordinality as w(app_id, session_id, since, most, n)
  join session_logs l on l.app_id = w.app_id and l.session_id = w.session_id
  left join sessions s on s.app_id = w.app_id and s.session_id = w.session_id
  cross join lateral (
    select string_agg(e.text, ${format === "json" ? "," : ""} order by e.cursor) as text, max(e.cursor) as next_cursor
    from (
      select e.cursor, e.text,
        sum(octet_length(e.text)) over (order by e.cursor rows between unbounded preceding and 1 preceding) as before
      from (
        select e.cursor, ${format === "json" ? shownEvent(sql) : frame(sql)} as text
        from (
          select * from events e where e.app_id = w.app_id and e.session_id = w.session_id and e.cursor > w.since
            and w.since < l.last_cursor
          order by e.cursor limit w.most
        ) e
        offset 0
      ) e
    ) e
    where coalesce(e.before, 0) < ${MAX_BYTES[format]}::int
  ) e`

/** Reads of logs. Concurrent reads of one process share a statement. */
export const layer = Layer.effect(
  EventLog,
  Effect.gen(function* () {
    const { pool, query } = yield* Database

    const reader = (format: "json" | "sse") =>
      groupCommit<Read, Option.Option<LogChunk>>({
        maxBatch: 64,
        inFlight: 4,
        keyOf: ({ sessionId, since, limit, appId }) => `${sessionId} ${since} ${limit} ${appId}`,
        run: async (batch) => {
          const answers: Array<Option.Option<LogChunk>> = batch.map(() => Option.none())
          for (const row of await readChunks(pool, format, batch)) {
            const nextCursor = row.next_cursor ?? batch[row.n - 1]?.since ?? 0
            answers[row.n - 1] = Option.some({
              text: row.text ?? "",
              nextCursor,
              tail: row.last_cursor,
              keptAfter: row.kept_after,
              isBeyond: row.is_beyond
            })
          }
          return answers
        }
      })
    const readers = { json: reader("json"), sse: reader("sse") }

    return EventLog.of({
      read: (format, position, limit) => {
        const read = readers[format]({ ...position, limit })
        return Effect.mapError(
          Effect.flatMap(ReadRoom, (room) => room(MAX_BYTES[format], read)),
          (cause) => new LogUnavailable({ cause })
        )
      },
      tails: (sessions) =>
        query<Array<{ app_id: string; session_id: string; last_cursor: number }>>(
          (sql) => sql`
        select app_id, session_id, last_cursor from session_logs
        where (app_id, session_id) in (select *
          from unnest(${sessions.map((s) => s.appId)}::text[], ${sessions.map((s) => s.sessionId)}::text[]))`
        ).pipe(
          Effect.map((rows) =>
            rows.map((row) => ({ appId: row.app_id, sessionId: row.session_id, cursor: row.last_cursor }))
          ),
          Effect.mapError((cause) => new LogUnavailable({ cause }))
        )
    })
  })
)
