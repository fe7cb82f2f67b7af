import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { newId } from "#pipeline/domain/Id.ts"
import { Database, type DatabaseError } from "#src/db/postgres/Database.ts"
import type { Secrets } from "#src/db/postgres/Secrets.ts"
import { auditing } from "#src/db/tenancy/auditLog.ts"
import { OPERATOR } from "#src/db/tenancy/operator.ts"
import { type BatchAction, KIND_OF, OPERATOR_BATCHES } from "#src/db/telegram/batches/batchKinds.ts"
import { getBatch, listItems } from "#src/db/telegram/batches/readBatches.ts"
import type { StoredBatch, StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"
import type { AttemptFilter } from "./attemptFilter.ts"
import { type BotFilter, matchesBot } from "./botFilter.ts"
import type { FailedDelivery } from "./DeliveryAttempts.ts"
import { countRetried, listRetried, type RetriedCounts, type RetriedDelivery } from "./retriedDeliveries.ts"

/** Items of one batch. */
export const MAX_BATCH = 10_000

export interface BotBatch {
  readonly action: BatchAction
  readonly filter: BotFilter
  readonly reason: string | null
  /** What the URLs of bots begin with. */
  readonly hooksAt: string
}

export interface DeliveryBatch {
  readonly deliveries: ReadonlyArray<FailedDelivery>
  readonly filter: AttemptFilter
  readonly perMinute: number
  readonly reason: string | null
}

/** Batches of the operator: one action on everything that a filter selects, with an outcome for each. */
export class FleetBatches extends Context.Service<
  FleetBatches,
  {
    /** Selects at most MAX_BATCH bots, the worst first. */
    readonly startBots: (batch: BotBatch) => Effect.Effect<StoredBatch, DatabaseError>
    /** Repeats deliveries one after another at a rate. */
    readonly startDeliveries: (batch: DeliveryBatch) => Effect.Effect<StoredBatch, DatabaseError>
    readonly get: (batchId: string) => Effect.Effect<StoredBatch | undefined, DatabaseError>
    readonly items: (
      batchId: string,
      page: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<StoredItem>, DatabaseError>
    /** Of a batch that repeats deliveries: the first of them. */
    readonly retried: (batchId: string, limit: number) => Effect.Effect<ReadonlyArray<RetriedDelivery>, DatabaseError>
    readonly countRetried: (batchId: string) => Effect.Effect<RetriedCounts, DatabaseError>
  }
>()("src/db/operators/FleetBatches") {
  static readonly layer = Layer.effect(
    FleetBatches,
    Effect.gen(function* () {
      const database = yield* Database
      const { query, transaction } = database
      const record = auditing(database)
      const provide = Effect.provideContext(yield* Effect.context<Database | Secrets>())

      const begin = (batchId: string, action: BatchAction, hooksAt: string, reason: string | null) =>
        query(
          (sql) => sql`
        insert into telegram_batches (app_id, batch_id, action, dry_run, hooks_at, reason)
        values (${OPERATOR_BATCHES}, ${batchId}, ${action}, false, ${hooksAt}, ${reason})`
        )
      const wake = query((sql) => sql`select graphile_worker.add_job('batches', '{}'::json)`)
      const get = (batchId: string) => provide(getBatch(OPERATOR_BATCHES, batchId))
      const started = Effect.fnUntraced(function* (batchId: string) {
        return (yield* get(batchId)) ?? (yield* Effect.die(new Error("a batch just written is gone")))
      })

      const startBots = Effect.fnUntraced(function* ({ action, filter, reason, hooksAt }: BotBatch) {
        const batchId = newId("bat")
        yield* begin(batchId, action, hooksAt, reason)
        yield* query(
          (sql) => sql`
        insert into telegram_batch_items (app_id, batch_id, item, channel_id, target_app, kind)
        select ${OPERATOR_BATCHES}, ${batchId},
          lpad((row_number() over (order by f.severity, f.channel_id))::text, 6, '0'), f.channel_id, f.app_id,
          ${KIND_OF[action]}
        from (
          select b.app_id, b.channel_id, b.severity
          from telegram_bots b where ${matchesBot(sql, filter)}
          order by b.severity, b.channel_id limit ${MAX_BATCH}::int
        ) f`
        )
        const batch = yield* started(batchId)
        yield* record({
          accountId: OPERATOR,
          action: "bots.batch_started",
          subject: batchId,
          detail: { action, filter, reason, bots: batch.total }
        })
        yield* wake
        return batch
      }, transaction)

      const startDeliveries = Effect.fnUntraced(function* ({ deliveries, filter, perMinute, reason }: DeliveryBatch) {
        const batchId = newId("bat")
        yield* begin(batchId, "redeliver", "", reason)
        const rows = JSON.stringify(
          deliveries.map(({ app_id, session_id, channel_id, cursor }) => ({ app_id, session_id, channel_id, cursor }))
        )
        yield* query(
          (sql) => sql`
        insert into telegram_batch_items (app_id, batch_id, item, channel_id, target_app, kind, delivery, due_at)
        select ${OPERATOR_BATCHES}, ${batchId}, lpad(d.n::text, 6, '0'), d.channel_id, d.app_id,
          ${KIND_OF.redeliver}, jsonb_build_object('session_id', d.session_id, 'cursor', d.cursor),
          now() + (d.n - 1) * interval '1 minute' / ${perMinute}::int
        from rows from (
          json_to_recordset(${rows}::text::json) as (app_id text, session_id text, channel_id text, cursor bigint)
        ) with ordinality as d(app_id, session_id, channel_id, cursor, n)`
        )
        yield* record({
          accountId: OPERATOR,
          action: "deliveries.batch_started",
          subject: batchId,
          detail: { filter, reason, per_minute: perMinute, deliveries: deliveries.length }
        })
        yield* wake
        return yield* started(batchId)
      }, transaction)

      return FleetBatches.of({
        startBots,
        startDeliveries,
        get,
        items: (batchId, page) => provide(listItems(OPERATOR_BATCHES, batchId, page)),
        retried: (...args) => provide(listRetried(...args)),
        countRetried: (batchId) => provide(countRetried(batchId))
      })
    })
  )
}
