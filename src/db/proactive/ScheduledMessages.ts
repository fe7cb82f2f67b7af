import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { newId } from "#pipeline/domain/Id.ts"
import { lockSessions } from "#src/db/billing/moneyStatements.ts"
import { Database, type DatabaseError, type Sql } from "#src/db/postgres/Database.ts"
import { scheduleProactiveCheck } from "#src/db/conversation/proactiveChecks.ts"
import { openSchedule } from "./scheduleStatements.ts"
import type { SessionRef } from "#src/db/conversation/Turns.ts"

/** Maximum number of open scheduled messages in a session. */
export const MAX_SCHEDULED = 100

export interface ScheduledMessage {
  readonly scheduled_id: string
  readonly at: Date
  readonly until: Date
  readonly text: string | null
  readonly topic: string | null
  readonly status: "scheduled" | "sending" | "sent" | "skipped" | "expired" | "cancelled"
  /** The gate or outcome that prevented it from being sent. Null: none. */
  readonly skipped_by: string | null
  readonly run_ref: string | null
  readonly created_at: Date
}

export interface NewScheduledMessage {
  readonly at: Date
  readonly until: Date
  readonly text: string | null
  readonly topic: string | null
}

/** The session has reached its limit of open scheduled messages. */
export class ScheduleFull extends Schema.TaggedError<ScheduleFull>()("ScheduleFull", { most: Schema.Int }) {}

/** The message was already sent, expired or cancelled. */
export class ScheduleClosed extends Schema.TaggedError<ScheduleClosed>()("ScheduleClosed", { status: Schema.String }) {}

const columns = (sql: Sql) => sql`
  m.scheduled_id, m.at, m.until, m.text, m.topic, m.created_at, t.run_ref,
  case
    when m.cancelled_at is not null then 'cancelled'
    when t.outcome = 'replied' then 'sent'
    when t.turn_index is not null and t.outcome is null then 'sending'
    when ${openSchedule(sql)} then case when m.until < now() then 'expired' else 'scheduled' end
    else 'skipped' end as status,
  case when t.outcome <> 'replied' then case t.outcome when 'withheld' then coalesce(t.failure_reason, 'withheld')
    else t.outcome end end as skipped_by`

/** Proactive messages that an app schedules: a text or a topic, at a time, subject to every gate. */
export class ScheduledMessages extends Context.Service<
  ScheduledMessages,
  {
    /** Undefined: the session has exited or does not exist. */
    readonly create: (
      session: SessionRef,
      message: NewScheduledMessage
    ) => Effect.Effect<ScheduledMessage | undefined, ScheduleFull | DatabaseError>
    readonly get: (
      session: SessionRef,
      scheduledId: string
    ) => Effect.Effect<ScheduledMessage | undefined, DatabaseError>
    /** Newest first, those before `before`. */
    readonly list: (
      session: SessionRef,
      page: { readonly before: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<ScheduledMessage>, DatabaseError>
    /** Undefined: there is no such message. */
    readonly cancel: (
      session: SessionRef,
      scheduledId: string
    ) => Effect.Effect<ScheduledMessage | undefined, ScheduleClosed | DatabaseError>
  }
>()("src/db/proactive/ScheduledMessages") {
  static readonly layer = Layer.effect(
    ScheduledMessages,
    Effect.gen(function* () {
      const { query, transaction } = yield* Database

      const select = ({ appId, sessionId }: SessionRef, id: string | null, before: string | null, limit: number) =>
        query<Array<ScheduledMessage>>(
          (sql) => sql`
        select ${columns(sql)} from scheduled_messages m left join turns t using (app_id, session_id, turn_index)
        where m.app_id = ${appId} and m.session_id = ${sessionId}
          and (${id}::text is null or m.scheduled_id =
            ${id}) and (${before}::text is null or m.scheduled_id < ${before})
        order by m.scheduled_id desc limit ${limit}::int`
        )
      const get = (session: SessionRef, id: string) => Effect.map(select(session, id, null, 1), ([row]) => row)

      const create = Effect.fnUntraced(function* (
        session: SessionRef,
        { at, until, text, topic }: NewScheduledMessage
      ) {
        const { appId, sessionId } = session
        yield* query((sql) => lockSessions(sql, [appId], [sessionId]))
        const [found] = yield* query<Array<{ status: string; open: number }>>(
          (sql) => sql`
        select l.status, (
          select count(*)::int from scheduled_messages m left join turns t using (app_id, session_id, turn_index)
          where m.app_id = l.app_id and m.session_id = l.session_id and m.until > now() and ${openSchedule(sql)}
        ) as open
        from session_logs l where l.app_id = ${appId} and l.session_id = ${sessionId}`
        )
        if (found?.status !== "active") return undefined
        if (found.open >= MAX_SCHEDULED) return yield* new ScheduleFull({ most: MAX_SCHEDULED })
        const id = newId("sch")
        yield* query(
          (sql) => sql`
        insert into scheduled_messages (app_id, session_id, scheduled_id, at, until, text, topic)
        values (${appId}, ${sessionId}, ${id}, ${at.toISOString()}, ${until.toISOString()}, ${text}, ${topic})`
        )
        yield* query((sql) => scheduleProactiveCheck(sql, session))
        return yield* get(session, id)
      }, transaction)

      const cancel = Effect.fnUntraced(function* (session: SessionRef, id: string) {
        const { appId, sessionId } = session
        yield* query((sql) => lockSessions(sql, [appId], [sessionId]))
        const found = yield* get(session, id)
        if (found === undefined || found.status === "cancelled") return found
        if (found.status !== "scheduled") return yield* new ScheduleClosed({ status: found.status })
        yield* query(
          (sql) => sql`
        update scheduled_messages set cancelled_at = now()
        where app_id = ${appId} and session_id = ${sessionId} and scheduled_id = ${id}`
        )
        return yield* get(session, id)
      }, transaction)

      return ScheduledMessages.of({
        create,
        get,
        cancel,
        list: (session, { before, limit }) => select(session, null, before, limit)
      })
    })
  )
}
