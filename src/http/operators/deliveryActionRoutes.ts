import * as Effect from "effect/Effect"
import * as z from "zod"
import { Deliveries } from "#src/db/delivery/Deliveries.ts"
import { DeliveryAttempts } from "#src/db/operators/DeliveryAttempts.ts"
import { FleetBatches, MAX_BATCH } from "#src/db/operators/FleetBatches.ts"
import { ActionLog } from "#src/db/operators/ActionLog.ts"
import { retryLimitReached } from "#src/http/delivery/deliveryErrors.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ACTS } from "./access.ts"
import { Reason } from "./botActionRoutes.ts"
import { Batch, toProgress } from "./botBatchRoutes.ts"
import { findAttempt, readAttemptFilter } from "./operatorDeliveryRoutes.ts"
import { attemptFilterFields } from "./operatorDeliverySchemas.ts"
import { anyDeliveryNotFound, selectionChanged, selectionTooLarge } from "./operatorErrors.ts"

/** Deliveries that a preview names. */
const SAMPLE = 20

const RetryResult = z.object({
  event_id: z.string(),
  channel_id: z.string(),
  outcome: z.string(),
  next_attempt_at: z.iso.datetime().nullable()
})
const RetryBatchCreate = Reason.extend({
  filter: z
    .object(attemptFilterFields)
    .refine((filter) => filter.since !== undefined || filter.event_id !== undefined, {
      message: "Must have since or event_id, so that old deliveries are not repeated by accident"
    }),
  per_minute: wholeBetween(1, 6000).default(60).meta({ description: "How many deliveries are repeated per minute" }),
  dry_run: z.boolean().default(false).meta({ description: "Only count and name what would be repeated" }),
  expected_deliveries: wholeBetween(0, MAX_BATCH)
    .optional()
    .meta({ description: "From the preview: the request fails with 409 selection_changed if the number is another" })
})
const RetryBatchData = z.union([
  z
    .object({
      dry_run: z.literal(true),
      selection: z.object({
        deliveries: z.int(),
        apps: z.int(),
        channels: z.int(),
        sample: z.array(
          z.object({ app_id: z.string(), channel_id: z.string(), event_id: z.string(), outcome: z.string() })
        )
      })
    })
    .extend(onCreate),
  Batch.extend(onCreate)
])

/** Repeats deliveries of any app. */
export const deliveryActionRoutes: Routes = ({ app, answer }) => {
  app.post(
    "/admin/deliveries/:attempt_id/retry",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "retryAttempt",
        summary: "Retry the delivery of an attempt now: again if it has ended, or without waiting",
        params: z.object({ attempt_id: z.string() }),
        body: Reason.optional(),
        response: answers(RetryResult, "delivery_not_found", "delivery_retry_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const {
            app_id: appId,
            session_id,
            channel_id: channelId,
            cursor,
            event_id,
            outcome
          } = yield* findAttempt(request.params.attempt_id)
          const deliveries = yield* Deliveries
          const delivery = yield* ActionLog.use((audit) =>
            audit.change(
              { appId, action: "delivery.retried", subject: event_id, reason: request.body?.reason ?? null },
              Effect.gen(function* () {
                const result =
                  (yield* deliveries.retry(appId, session_id ?? appId, { channelId, cursor })) ??
                  (yield* anyDeliveryNotFound)
                return { result, before: { channel_id: channelId, outcome }, after: { outcome: result.outcome } }
              })
            )
          ).pipe(Effect.catchTag("RetryLimitReached", () => Effect.fail(retryLimitReached)))
          return success({
            event_id,
            channel_id: channelId,
            outcome: delivery.outcome,
            next_attempt_at: delivery.next_attempt_at?.toISOString() ?? null
          })
        })
      )
  )

  app.post(
    "/admin/deliveries/batches",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "createRetryBatch",
        summary: "Retry every delivery that a filter selects and that has not arrived since, at a rate; or preview it",
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: RetryBatchCreate,
        response: answers(RetryBatchData, "selection_changed", "selection_too_large")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const {
              dry_run: dryRun,
              per_minute: perMinute,
              reason = null,
              expected_deliveries: expected
            } = request.body
            const filter = readAttemptFilter(request.body.filter)
            const found = yield* DeliveryAttempts.use((attempts) => attempts.failed(filter, MAX_BATCH + 1))
            if (found.length > MAX_BATCH) return yield* selectionTooLarge(MAX_BATCH).about("body.filter")
            if (dryRun)
              return success({
                dry_run: true,
                selection: {
                  deliveries: found.length,
                  apps: new Set(found.map(({ app_id }) => app_id)).size,
                  channels: new Set(found.map(({ channel_id }) => channel_id)).size,
                  sample: found.slice(0, SAMPLE).map(({ app_id, channel_id, event_id, outcome }) => ({
                    app_id,
                    channel_id,
                    event_id,
                    outcome
                  }))
                }
              })
            if (expected !== undefined && expected !== found.length)
              return yield* selectionChanged(found.length).about("body.expected_deliveries")
            return success(
              toProgress(
                yield* FleetBatches.use((batches) =>
                  batches.startDeliveries({ deliveries: found, filter, perMinute, reason })
                )
              )
            )
          })
        )
      )
  )
}
