import * as Effect from "effect/Effect"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { type BotFilter, NO_BOT_FILTER } from "#src/db/operators/botFilter.ts"
import { FleetBatches, MAX_BATCH } from "#src/db/operators/FleetBatches.ts"
import { FleetBots } from "#src/db/operators/FleetBots.ts"
import { OPERATOR_ACTIONS } from "#src/db/telegram/batches/batchKinds.ts"
import type { StoredBatch, StoredItem } from "#src/db/telegram/batches/StoredBatch.ts"
import { BOT_STATUSES } from "#src/db/telegram/bots/StoredBot.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import { wholeBetween } from "#src/http/server/schemas/number.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { BatchItems } from "#src/http/telegram/telegramBatchSchemas.ts"
import { ACTS, VIEWS } from "./access.ts"
import { Reason } from "./botActionRoutes.ts"
import { anyBatchNotFound, selectionChanged, selectionTooLarge } from "./operatorErrors.ts"

const MAX_SECONDS = 366 * 86_400
const MAX_IDS = 1000
const seconds = () => wholeBetween(1, MAX_SECONDS).optional()

/** What a batch acts on. An empty filter would be the whole fleet, which has to be said. */
const Filter = z
  .object({
    all: z.literal(true).optional().meta({ description: "The whole fleet" }),
    app_id: z.string().min(1).max(64).optional(),
    bot_ids: z.array(z.string().min(1).max(64)).min(1).max(MAX_IDS).optional(),
    state: z.array(z.enum(BOT_STATUSES)).min(1).max(BOT_STATUSES.length).optional(),
    reason: z.string().min(1).max(200).optional().meta({ description: "operator: suspended by the operator" }),
    lag_over: seconds(),
    silent_for: seconds(),
    unsent_for: seconds()
  })
  .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
    message: "Must have a condition, or all: true for the whole fleet"
  })

export const FleetBatchCreate = Reason.extend({
  action: z.enum(OPERATOR_ACTIONS),
  filter: Filter,
  dry_run: z.boolean().default(false).meta({ description: "Only count and name what would be affected" }),
  expected_bots: wholeBetween(0, MAX_BATCH)
    .optional()
    .meta({ description: "From the preview: the request fails with 409 selection_changed if the number is another" })
})

export const Batch = z
  .object({
    id: z.string(),
    action: z.string(),
    dry_run: z.literal(false),
    status: z.enum(["running", "completed"]),
    total: z.int(),
    done: z.int(),
    failed: z.int(),
    created_at: z.iso.datetime()
  })
  .meta({ title: "OperatorBatch" })
const Selection = z.object({
  bots: z.int(),
  apps: z.int(),
  statuses: z.record(z.string(), z.int()).describe("Bots by their status"),
  sample: z
    .array(
      z.object({
        app_id: z.string(),
        app_name: z.string(),
        bot_id: z.string(),
        username: z.string().nullable(),
        status: z.enum(BOT_STATUSES)
      })
    )
    .describe("The first twenty, worst first")
})
const FleetBatchData = z.union([
  z.object({ dry_run: z.literal(true), action: z.string(), selection: Selection }).extend(onCreate),
  Batch.extend(onCreate)
])

export const toProgress = (batch: StoredBatch) => ({
  id: batch.batch_id,
  action: batch.action,
  dry_run: false,
  status: batch.done + batch.failed === batch.total ? "completed" : "running",
  total: batch.total,
  done: batch.done,
  failed: batch.failed,
  created_at: batch.created_at.toISOString()
})

const toItem = (item: StoredItem) => ({
  place: Number(item.item),
  bot_id: item.channel_id,
  status: item.status,
  error_code: item.error,
  next_attempt_at: item.status === "pending" && item.error !== null ? item.due_at.toISOString() : null,
  bot: item.bot,
  link: null
})

export const toBotFilter = (filter: z.output<typeof Filter>): BotFilter => ({
  ...NO_BOT_FILTER,
  appId: filter.app_id ?? null,
  botIds: filter.bot_ids ?? [],
  states: filter.state ?? [],
  reason: filter.reason ?? null,
  lagOver: filter.lag_over ?? null,
  silentFor: filter.silent_for ?? null,
  unsentFor: filter.unsent_for ?? null
})

/** Actions on all bots that a filter selects, with a preview. */
export const botBatchRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ batch_id: z.string() })
  const find = Effect.fnUntraced(function* (id: string) {
    const batch = isId("bat", id) ? yield* FleetBatches.use((batches) => batches.get(id)) : undefined
    return batch ?? (yield* anyBatchNotFound)
  })

  app.post(
    "/admin/bots/batches",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "createFleetBatch",
        summary: "Act on every bot that a filter selects, as a batch with one outcome for each; or preview it",
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: FleetBatchCreate,
        response: answers(FleetBatchData, "selection_changed", "selection_too_large")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { action, reason = null, dry_run: dryRun, expected_bots: expected } = request.body
            const filter = toBotFilter(request.body.filter)
            const selection = yield* FleetBots.use((bots) => bots.select(filter, MAX_BATCH))
            if (selection.bots > MAX_BATCH) return yield* selectionTooLarge(MAX_BATCH).about("body.filter")
            if (dryRun) return success({ dry_run: true, action, selection })
            if (expected !== undefined && expected !== selection.bots)
              return yield* selectionChanged(selection.bots).about("body.expected_bots")
            const hooksAt = `${baseUrl()}${HOOKS_PATH}`
            const batch = yield* FleetBatches.use((batches) => batches.startBots({ action, filter, reason, hooksAt }))
            return success(toProgress(batch))
          })
        )
      )
  )

  app.get(
    "/admin/batches/:batch_id",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "getFleetBatch",
        summary: "Get the progress of a batch of the operator",
        params,
        response: answers(Batch, "batch_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(find(request.params.batch_id), (batch) => success(toProgress(batch)))
      )
  )

  app.get(
    "/admin/batches/:batch_id/items",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listFleetBatchItems",
        summary: "List the outcome of each item of a batch of the operator",
        params,
        querystring: z.object(listQuery),
        response: answers(BatchItems, "batch_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const { batch_id: batchId } = yield* find(request.params.batch_id)
          const rows = yield* FleetBatches.use((batches) => batches.items(batchId, { after, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.item)
          return success({ items: items.map(toItem), next_cursor })
        })
      )
  )
}
