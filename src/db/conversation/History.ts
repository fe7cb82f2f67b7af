import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { LogSignals } from "#channels/event-log/LogSignals.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { nextFeedPosition } from "#src/db/postgres/feedPosition.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { SessionRef } from "./Turns.ts"

/** How many messages of an earlier conversation a session can take. */
export const MAX_HISTORY = 10_000

export interface HistoryMessage {
  readonly role: "user" | "character"
  readonly text: string
  readonly at: Date
}

/**
 * Why history was refused. `session_not_found`, `session_exited`; `turns_began`: history comes before the first turn;
 * `full`: there would be more than `MAX_HISTORY` messages; `out_of_order`: the first message is older than the last one
 * that was added before.
 */
export class HistoryRefused extends Schema.TaggedError<HistoryRefused>()("HistoryRefused", {
  reason: Schema.Literals(["session_not_found", "session_exited", "turns_began", "full", "out_of_order"])
}) {}

export interface HistoryAppended {
  readonly firstCursor: number
  readonly lastCursor: number
  /** All history messages of the session so far. */
  readonly total: number
}

interface LogRow {
  readonly status: string
  readonly turn_count: number
  readonly last_cursor: number
  readonly history_count: number
  readonly last_at: Date | null
}

/** Messages of a conversation that was held elsewhere, as the beginning of a session's log. */
export class History extends Context.Service<
  History,
  {
    /**
     * Appends all or none of the messages, in order, and schedules their reading. Lanes do not deliver them: the app
     * has
     * them already.
     */
    readonly append: (
      session: SessionRef,
      messages: ReadonlyArray<HistoryMessage>
    ) => Effect.Effect<HistoryAppended, HistoryRefused | DatabaseError>
  }
>()("src/db/conversation/History") {
  static readonly layer = Layer.effect(
    History,
    Effect.gen(function* () {
      const { query, transaction, afterCommit } = yield* Database
      const signals = yield* LogSignals

      const append = Effect.fnUntraced(
        function* ({ appId, sessionId }: SessionRef, messages: ReadonlyArray<HistoryMessage>) {
          const refused = (reason: HistoryRefused["reason"]) => new HistoryRefused({ reason })
          // The lock keeps the first turn from being accepted in the meantime.
          const [log] = yield* query<Array<LogRow>>(
            (sql) => sql`
          select l.status, l.turn_count, l.last_cursor::int as last_cursor, l.history_count, (
            select e.created_at from events e where e.app_id = l.app_id and e.session_id = l.session_id
              and e.cursor = l.last_cursor and e.source_kind = 'history'
          ) as last_at
          from session_logs l join sessions s using (app_id, session_id)
          where l.app_id = ${appId} and l.session_id = ${sessionId} for no key update of l`
          )
          if (log === undefined) return yield* refused("session_not_found")
          if (log.status !== "active") return yield* refused("session_exited")
          if (log.turn_count > 0) return yield* refused("turns_began")
          const total = log.history_count + messages.length
          if (total > MAX_HISTORY) return yield* refused("full")
          const [first] = messages
          if (first !== undefined && log.last_at !== null && first.at < log.last_at)
            return yield* refused("out_of_order")
          const firstCursor = log.last_cursor + 1
          const lastCursor = log.last_cursor + messages.length
          const run = newId("run")
          const rows = messages.map(({ role, text, at }, index) => ({
            cursor: firstCursor + index,
            id: newId("evt"),
            role,
            at: at.toISOString(),
            payload: { text, bubbles: [text] }
          }))
          const [appended] = yield* query<Array<{ feed_position: number }>>(
            (sql) => sql`
          update session_logs set last_cursor = ${lastCursor}::bigint, history_count = ${total}::int,
            feed_position = ${nextFeedPosition(sql, sql`feed_position`)}
          where app_id = ${appId} and session_id = ${sessionId} returning feed_position`
          )
          yield* query(
            (sql) => sql`
          insert into events (app_id, session_id, cursor, id, type, role, trace_id, source_kind, payload, created_at,
            feed_position)
          select ${appId}, ${sessionId}, h.cursor, h.id, 'message.created', h.role, ${run}, 'history', h.payload, h.at,
            ${appended?.feed_position ?? 0}::bigint
          from json_to_recordset(${JSON.stringify(rows)}::text::json)
            as h(cursor bigint, id text, role text, at timestamptz, payload json)
          order by h.cursor`
          )
          yield* query(
            (sql) => sql`
          select graphile_worker.add_job('history', ${JSON.stringify({
            app_id: appId,
            session_id: sessionId,
            from: firstCursor,
            to: lastCursor
          })}::text::json, priority => 10)`
          )
          return { firstCursor, lastCursor, total }
        },
        transaction,
        (appended, { appId, sessionId }) =>
          Effect.tap(appended, ({ lastCursor }) =>
            afterCommit(() => signals.announce([{ appId, sessionId, cursor: lastCursor }]))
          )
      )
      return History.of({ append })
    })
  )
}
