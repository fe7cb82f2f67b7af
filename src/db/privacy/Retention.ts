import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { isNotShadow } from "#src/db/tenancy/shadow.ts"
import { dropServiceLogs } from "./eraseServiceLogs.ts"

/** Rows per delete statement. */
const ROWS_PER_STEP = 5000
/** Logs checked per transaction. They are locked for its duration. */
const SESSIONS_PER_STEP = 200
/** Events of one log deleted per transaction. */
const EVENTS_PER_STEP = 1000

/** Also service replies, which answer them. Telegram itself keeps an update for a day. */
const UPDATES_KEPT = "72 hours"

export interface RetentionOptions {
  /** How long delivery attempts are kept. */
  readonly attempts: Duration.Duration
  /** How long events are kept. Null: forever, so that state can be rebuilt from them. */
  readonly log: Duration.Duration | null
}

interface LastTrimmed {
  readonly app_id: string
  readonly session_id: string
}

/**
 * Deletes data that is older than its retention period, one transaction per step, so that nothing is locked for long
 * and a crash undoes at most one step.
 */
export class Retention extends Context.Service<
  Retention,
  {
    readonly apply: Effect.Effect<void, DatabaseError>
  }
>()("src/db/privacy/Retention") {
  static readonly layer = ({ attempts, log }: RetentionOptions) =>
    Layer.effect(
      Retention,
      Effect.gen(function* () {
        const { query, transaction } = yield* Database
        const services = yield* Effect.context<Database | Tables>()

        const deleteAttempts = query(
          (sql) => sql`
      delete from delivery_attempts where ctid = any(array(
        select ctid from delivery_attempts
          where started_at < now() - ${Duration.toSeconds(attempts)}::bigint * interval '1 second'
            limit ${ROWS_PER_STEP}::int
      )) returning 1`
        ).pipe(Effect.repeat({ until: (rows) => rows.length < ROWS_PER_STEP }))

        // Deletes from the beginning of a log up to the first event that is recent enough, that a lane still has to
        // deliver, or that an open turn refers to. Logs of evals are skipped: their clock may be years behind, and
        // their sessions are deleted with the run.
        const trim = Effect.fnUntraced(function* (age: Duration.Duration, after: LastTrimmed) {
          const scope = yield* query<Array<LastTrimmed>>(
            (sql) => sql`
        select app_id, session_id from session_logs
          where ${isNotShadow(sql)} and (app_id, session_id) > (${after.app_id}, ${after.session_id})
        order by app_id, session_id limit ${SESSIONS_PER_STEP}::int for no key update`
          )
          const [cut] = yield* query<Array<{ more: boolean }>>(
            (sql) => sql`
        with bound as (
          select l.app_id, l.session_id, l.kept_after, least(
            (select e.cursor from events e where e.app_id = l.app_id and e.session_id = l.session_id
              and e.cursor <= l.kept_after + ${EVENTS_PER_STEP}::int
              and e.created_at < now() - ${Duration.toSeconds(age)}::bigint * interval '1 second'
                order by e.cursor desc limit 1),
            (select min(x.position) from lanes x join channels c using (app_id, channel_id)
              where x.app_id = l.app_id and x.session_id = l.session_id and c.status not in ('disabled', 'deleted')),
            (select t.cursor - 1 from turns t where t.app_id = l.app_id and t.session_id = l.session_id
              and t.outcome is null order by t.turn_index limit 1)
          ) as last
          from session_logs l
          where (l.app_id, l.session_id) in (select *
            from unnest(${scope.map((row) => row.app_id)}::text[], ${scope.map((row) => row.session_id)}::text[]))
            and exists (select from events e where e.app_id = l.app_id and e.session_id = l.session_id
              and e.cursor = l.kept_after + 1
              and e.created_at < now() - ${Duration.toSeconds(age)}::bigint * interval '1 second')
        ), trimmed as (
          update session_logs l set kept_after = b.last from bound b
          where l.app_id = b.app_id and l.session_id = b.session_id and b.last > b.kept_after
          returning l.app_id, l.session_id, b.kept_after as after, b.last
        ), deleted as (
          delete from events e using trimmed t where e.app_id = t.app_id and e.session_id = t.session_id
            and e.cursor > t.after and e.cursor <= t.last
        ), forgotten as (
          select b.app_id, b.session_id, max(b.first_doc + (select count(*)::int from unnest(b.cursors) c
            where c <= t.last)) as kept_from
          from trimmed t join memory_blocks b using (app_id, session_id) where b.cursors[1] <= t.last group by 1, 2
        ), unindexed as (
          delete from memory_terms m using forgotten f where m.app_id = f.app_id and m.session_id = f.session_id
            and m.doc < f.kept_from
        ), unblocked as (
          delete from memory_blocks b using trimmed t where b.app_id = t.app_id and b.session_id = t.session_id
            and b.cursors[cardinality(b.cursors)] <= t.last
        )
        select exists (select from trimmed where last = after + ${EVENTS_PER_STEP}::int) as more`
          )
          return cut?.more === true ? after : scope.at(-1)
        }, transaction)
        const trimLogs = Effect.fnUntraced(function* (age: Duration.Duration) {
          let lastTrimmed: LastTrimmed | undefined = { app_id: "", session_id: "" }
          while (lastTrimmed !== undefined) lastTrimmed = yield* trim(age, lastTrimmed)
        })

        // After a week without updates, Telegram continues with a random update number, and an old row must not make a
        // new update look like a duplicate. Unanswered updates of suspended bots stay.
        const deleteUpdates = query(
          (sql) => sql`
      delete from telegram_updates where ctid = any(array(
        select ctid from telegram_updates u
          where received_at < now() - ${UPDATES_KEPT}::interval and (done_at is not null or not exists (
          select from telegram_bots b where b.app_id = u.app_id and b.channel_id = u.channel_id
            and b.status <> 'detached'
        )) limit ${ROWS_PER_STEP}::int
      )) returning 1`
        ).pipe(Effect.repeat({ until: (rows) => rows.length < ROWS_PER_STEP }))

        const deleteManagerUpdates = query(
          (sql) => sql`delete from telegram_manager_updates where done_at < now() - ${UPDATES_KEPT}::interval`
        )

        const deleteServiceReplies = dropServiceLogs(UPDATES_KEPT).pipe(Effect.provideContext(services))

        const forgetSecrets = query(
          (sql) => sql`
      with past as (
        select app_id, channel_id from channels where previous_secret_until < now() order by app_id,
          channel_id for no key update
      )
      update channels c set previous_secret = null, previous_secret_until = null from past p where c.app_id = p.app_id
        and c.channel_id = p.channel_id`
        )

        return Retention.of({
          apply: Effect.all(
            [forgetSecrets, deleteAttempts, deleteUpdates, deleteManagerUpdates, deleteServiceReplies],
            {
              discard: true
            }
          ).pipe(Effect.andThen(log === null ? Effect.void : trimLogs(log)))
        })
      })
    )
}
