import * as Effect from "effect/Effect"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { BatchRows, type NewItem, type StoredBatch, type StoredItem } from "#src/db/telegram/BatchRows.ts"
import { curl, success } from "../envelope.ts"
import { notFound } from "../errors.ts"
import { createOnce } from "../idempotent.ts"
import { cursorKey, listQuery, page } from "../listing.ts"
import { answers, created as onCreate } from "../schemas/answers.ts"
import { BatchCreate, BatchData, BatchItems } from "../schemas/telegramBatch.ts"
import type { Routes } from "../Server.ts"
import { checkCharacter, readToken } from "../telegramBot.ts"

const toResource = (batch: StoredBatch) => ({
  id: batch.batch_id,
  action: batch.action,
  dry_run: batch.dry_run,
  status: batch.done + batch.failed === batch.total ? "completed" : "running",
  total: batch.total,
  done: batch.done,
  failed: batch.failed,
  created_at: batch.created_at.toISOString()
})

const toItem = ({ item, channel_id, status, error, due_at }: StoredItem) => ({
  place: Number(item), bot_id: channel_id, status, error_code: error, next_attempt_at: status === "pending" && error !== null ? due_at.toISOString() : null
})

export const telegramBatchRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Telegram"]
  const params = z.object({ batch_id: z.string() })
  const shown = (batch: StoredBatch) => success(toResource(batch), [
    { command: curl(baseUrl(), "GET", `/v1/telegram/batches/${batch.batch_id}`), description: "See how far it is" },
    { command: curl(baseUrl(), "GET", `/v1/telegram/batches/${batch.batch_id}/items`), description: "See what became of each bot" }
  ])
  const find = Effect.fnUntraced(function*(appId: string, id: string) {
    const batch = isId("bat", id) ? yield* BatchRows.use((rows) => rows.get(appId, id)) : undefined
    return batch ?? (yield* notFound.batch)
  })

  app.post("/v1/telegram/batches", {
    config: { writes: true },
    schema: {
      operationId: "createBotBatch",
      summary: "Do one thing to many Telegram bots, at a pace that Telegram takes; each bot has its own outcome",
      tags,
      headers: z.object({ "idempotency-key": z.string().optional() }),
      body: BatchCreate,
      response: answers(BatchData.extend(onCreate), 404, 409, 413)
    }
  }, (request, reply) =>
    answer(request, reply, createOnce(request, Effect.gen(function*() {
      const { appId } = request.principal
      const { body } = request
      if (body.action === "attach") {
        for (const slug of new Set(body.bots.map((bot) => bot.character_slug))) yield* checkCharacter(appId, slug)
      }
      const items: ReadonlyArray<NewItem> = body.action === "attach"
        ? yield* Effect.forEach(body.bots, ({ token, character_slug }) => Effect.map(readToken(token), (read) => ({ token: read, characterSlug: character_slug })))
        : body.bot_ids.map((channelId) => ({ channelId }))
      const batch = yield* BatchRows.use((rows) => rows.create(appId, body.action, body.dry_run, items, `${baseUrl()}${HOOKS_PATH}`))
      return shown(batch)
    }))))

  app.get("/v1/telegram/batches/:batch_id", {
    schema: { operationId: "getBotBatch", summary: "How far a batch is", tags, params, response: answers(BatchData, 404) }
  }, (request, reply) => answer(request, reply, Effect.map(find(request.principal.appId, request.params.batch_id), shown)))

  app.get("/v1/telegram/batches/:batch_id/items", {
    config: { within: "batch" },
    schema: { operationId: "listBotBatchItems", summary: "What became of each bot of a batch", tags, params, querystring: z.object(listQuery), response: answers(BatchItems, 404) }
  }, (request, reply) =>
    answer(request, reply, Effect.gen(function*() {
      const { cursor, limit } = request.query
      const after = yield* cursorKey(cursor)
      const { batch_id } = yield* find(request.principal.appId, request.params.batch_id)
      const rows = yield* BatchRows.use((batches) => batches.items(request.principal.appId, batch_id, { after, limit: limit + 1 }))
      const { items, next_cursor } = page(rows, limit, (row) => row.item)
      return success({ items: items.map(toItem), next_cursor })
    })))
}
