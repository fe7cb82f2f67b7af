import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Tables } from "#src/db/postgres/catalogue/Tables.ts"
import { makeSumUpLedger } from "#src/db/billing/sumUpLedger.ts"
import { dropServiceLogs } from "./eraseServiceLogs.ts"
import { makeTrimLogs } from "./retention/trimLogs.ts"
import { makeTrimOthers } from "./retention/trimOthers.ts"
import { makeTrimTurns } from "./retention/trimTurns.ts"

/** Rows per delete statement. */
const ROWS_PER_STEP = 5000
/** Also service replies, which answer them. Telegram itself keeps an update for a day. */
const UPDATES_KEPT = "72 hours"

/** A process that knows this migration reads the sums of the ledger, and the keys of turns that are deleted. */
const READS_SUMS = 50

export interface RetentionOptions {
  /** How long delivery attempts are kept. */
  readonly attempts: Duration.Duration
  /** How long events are kept. Null: forever, so that state can be rebuilt from them. */
  readonly log: Duration.Duration | null
  /** How long closed turns, finished evals and batches, and committed imports are kept. Null: forever. */
  readonly turns: Duration.Duration | null
  readonly evals: Duration.Duration | null
  readonly batches: Duration.Duration | null
  readonly imports: Duration.Duration | null
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
  static readonly layer = ({ attempts, log, turns, evals, batches, imports }: RetentionOptions) =>
    Layer.effect(
      Retention,
      Effect.gen(function* () {
        const database = yield* Database
        const { query } = database
        const services = yield* Effect.context<Database | Tables>()

        const deleteAttempts = query(
          (sql) => sql`
      delete from delivery_attempts where ctid = any(array(
        select ctid from delivery_attempts
          where started_at < now() - ${Duration.toSeconds(attempts)}::bigint * interval '1 second'
            limit ${ROWS_PER_STEP}::int
      )) returning 1`
        ).pipe(Effect.repeat({ until: (rows) => rows.length < ROWS_PER_STEP }))

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

        const trimLogs = makeTrimLogs(database)
        const trimTurns = makeTrimTurns(database)
        const { trimEvals, trimBatches, trimImports } = makeTrimOthers(database)
        const sumUpLedger = makeSumUpLedger(database)

        const isAlone = query<Array<{ alone: boolean }>>(
          (sql) => sql`
      select not exists (select from processes where coalesce(migration, 0) < ${READS_SUMS}::int) as alone`
        ).pipe(Effect.map(([row]) => row?.alone === true))

        const within = <A>(age: Duration.Duration | null, trim: (age: Duration.Duration) => A) =>
          age === null ? [] : [trim(age)]

        return Retention.of({
          apply: Effect.gen(function* () {
            const always = [forgetSecrets, deleteAttempts, deleteUpdates, deleteManagerUpdates, deleteServiceReplies]
            const others = [...within(evals, trimEvals), ...within(batches, trimBatches)]
            yield* Effect.all([...always, ...within(log, trimLogs), ...others, ...within(imports, trimImports)], {
              discard: true
            })
            if (!(yield* isAlone))
              return yield* Effect.logInfo("turns and ledger kept: a process of an older version runs")
            yield* Effect.all([...within(turns, trimTurns), sumUpLedger], { discard: true })
          })
        })
      })
    )
}
