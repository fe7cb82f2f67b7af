import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { EventLog, type LogChunk, type LogPosition, LogUnavailable } from "#channels/event-log/EventLog.ts"
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
}

const frame = (sql: Sql) =>
  sql`'id: ' || e.cursor || E'\nevent: ' || e.type || E'\ndata: ' || ${shownEvent(sql)} || E'\n\n'`

/**
 * Many reads in one statement. PostgreSQL concatenates the text of each chunk, so that one row per chunk is sent
 * instead of one per event.
 */
const readChunks = (sql: Sql, format: "json" | "sse", batch: ReadonlyArray<Read>) => sql<Array<ChunkRow>>`
  select w.n::int, e.text, e.next_cursor, l.last_cursor, l.kept_after
  from unnest(${batch.map((read) => read.appId)}::text[], ${batch.map((read) => read.sessionId)}::text[],
    ${batch.map((read) => read.since)}::bigint[],
      ${batch.map((read) => read.limit)}::int[]) with ordinality as w(app_id, session_id, since, most, n)
  join session_logs l on l.app_id = w.app_id and l.session_id = w.session_id
  left join sessions s on s.app_id = w.app_id and s.session_id = w.session_id
  cross join lateral (
    select string_agg(${format === "json" ? shownEvent(sql) : frame(sql)},
      ${format === "json" ? "," : ""} order by e.cursor) as text, max(e.cursor) as next_cursor
    from (
      select * from events e
      where e.app_id = w.app_id and e.session_id = w.session_id and e.cursor > w.since and w.since < l.last_cursor
      order by e.cursor limit w.most
    ) e
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
        run: async (batch) => {
          const answers: Array<Option.Option<LogChunk>> = batch.map(() => Option.none())
          for (const row of await readChunks(pool, format, batch)) {
            const nextCursor = row.next_cursor ?? batch[row.n - 1]?.since ?? 0
            answers[row.n - 1] = Option.some({
              text: row.text ?? "",
              nextCursor,
              tail: row.last_cursor,
              keptAfter: row.kept_after
            })
          }
          return answers
        }
      })
    const readers = { json: reader("json"), sse: reader("sse") }

    return EventLog.of({
      read: (format, position, limit) =>
        readers[format]({ ...position, limit }).pipe(Effect.mapError((cause) => new LogUnavailable({ cause }))),
      tails: (sessions) =>
        query<Array<{ session_id: string; last_cursor: number }>>(
          (sql) => sql`
        select session_id, last_cursor from session_logs
        where (app_id, session_id) in (select *
          from unnest(${sessions.map((s) => s.appId)}::text[], ${sessions.map((s) => s.sessionId)}::text[]))`
        ).pipe(
          Effect.map((rows) => rows.map((row) => ({ sessionId: row.session_id, cursor: row.last_cursor }))),
          Effect.mapError((cause) => new LogUnavailable({ cause }))
        )
    })
  })
)
