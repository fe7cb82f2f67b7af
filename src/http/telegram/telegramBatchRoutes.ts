import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { isId } from "#pipeline/domain/Id.ts"
import { BatchRows } from "#src/db/telegram/BatchRows.ts"
import type { StoredBatch } from "#src/db/telegram/batches/StoredBatch.ts"
import type { NewItem } from "#src/db/telegram/batches/createBatch.ts"
import { makeYieldBudget } from "#src/db/postgres/yieldBudget.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { toBatchResource, toItemResource } from "./batchItem.ts"
import { wantedBot } from "./createManagedBot.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { characterNotFound } from "#src/http/character/characterErrors.ts"
import { batchNotFound } from "./telegramErrors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { botSheet, SHEET_POLICY, sheetCard } from "./botSheet.ts"
import { answers, answersAs, created as onCreate } from "#src/http/server/schemas/answers.ts"
import { BatchCreate, BatchData, BatchItems, MAX_BOTS } from "./telegramBatchSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { askTelegram, checkCharacter, readToken } from "./telegramBot.ts"
import { about } from "#src/http/server/about.ts"
import { batchExists } from "./botExists.ts"

/** The items of a batch, if it can be started. */
const itemsOf = Effect.fnUntraced(function* (appId: string, body: z.output<typeof BatchCreate>) {
  if (!("bots" in body)) return body.bot_ids.map((channelId): NewItem => ({ channelId }))
  const slugs = new Set(body.bots.map((bot) => bot.character_slug))
  const characters = new Map(
    yield* Effect.forEach(slugs, (slug) =>
      checkCharacter(appId, slug).pipe(
        about(`body.bots[${body.bots.findIndex((bot) => bot.character_slug === slug)}].character_slug`),
        Effect.map((character) => [slug, character] as const)
      )
    )
  )
  if (body.action === "attach") {
    return yield* Effect.forEach(body.bots, ({ token, character_slug: characterSlug }, index) =>
      readToken(token).pipe(
        about(`body.bots[${index}].token`),
        Effect.map((read): NewItem => ({ token: read, characterSlug }))
      )
    )
  }
  return yield* Effect.forEach(
    body.bots,
    Effect.fnUntraced(function* (bot) {
      const item: NewItem = {
        characterSlug: bot.character_slug,
        wanted: wantedBot(bot, characters.get(bot.character_slug) ?? (yield* characterNotFound))
      }
      return item
    })
  )
})

/** The manager bot through which people create the bots of a batch. Null: the batch creates none. */
const linksOf = Effect.fnUntraced(function* (body: z.output<typeof BatchCreate>, hooksAt: string) {
  if (body.action !== "create_managed") return null
  const manager = yield* Manager
  if (!body.dry_run) yield* askTelegram(manager.register(hooksAt)).pipe(about("body.action"))
  return { manager: yield* askTelegram(manager.username).pipe(about("body.action")), minutes: body.expires_in_minutes }
})

const yieldBudget = makeYieldBudget()

export const telegramBatchRoutes: Routes = ({ app, answer, baseUrl, run }) => {
  const tags = ["Telegram"]
  const params = z.object({ batch_id: z.string() })
  const shown = (batch: StoredBatch) =>
    success(toBatchResource(batch), [
      { command: curl(baseUrl(), "GET", `/v1/telegram/batches/${batch.batch_id}`), description: "See the progress" },
      {
        command: curl(baseUrl(), "GET", `/v1/telegram/batches/${batch.batch_id}/items`),
        description: "See the result for each bot"
      },
      ...(batch.manager === null
        ? []
        : [
            {
              command: `${curl(baseUrl(), "GET", `/v1/telegram/batches/${batch.batch_id}/sheet`)} -o bots.html`,
              description: "Get the links as QR codes to print"
            }
          ])
    ])
  const find = Effect.fnUntraced(function* (appId: string, id: string) {
    const batch = isId("bat", id) ? yield* BatchRows.use((rows) => rows.get(appId, id)) : undefined
    return batch ?? (yield* batchNotFound)
  })

  app.post(
    "/v1/telegram/batches",
    {
      config: { writes: true },
      schema: {
        operationId: "createBotBatch",
        summary: "Apply an action to many Telegram bots, within Telegram's rate limits. Each bot has its own result",
        tags,
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: BatchCreate,
        response: answers(
          BatchData.extend(onCreate),
          "batch_not_found",
          "character_not_found",
          "character_archived",
          "managed_bots_unavailable",
          "telegram_webhook_foreign",
          "telegram_token_invalid",
          "upstream_failed"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { appId } = request.principal
          const { body } = request
          const hooksAt = `${baseUrl()}${HOOKS_PATH}`
          const links = yield* linksOf(body, hooksAt)
          return yield* createOnce(
            request,
            Effect.gen(function* () {
              const items = yield* itemsOf(appId, body)
              return shown(
                yield* BatchRows.use((rows) =>
                  rows.create(appId, { action: body.action, dryRun: body.dry_run, items, hooksAt, links })
                )
              )
            })
          )
        })
      )
  )

  app.get(
    "/v1/telegram/batches/:batch_id",
    {
      schema: {
        operationId: "getBotBatch",
        summary: "Get the progress of a batch",
        tags,
        params,
        response: answers(BatchData, "batch_not_found")
      }
    },
    (request, reply) =>
      answer(request, reply, Effect.map(find(request.principal.appId, request.params.batch_id), shown))
  )

  app.get(
    "/v1/telegram/batches/:batch_id/items",
    {
      config: { exists: batchExists },
      schema: {
        operationId: "listBotBatchItems",
        summary: "List the results for the bots of a batch",
        tags,
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
          const batch = yield* find(request.principal.appId, request.params.batch_id)
          const rows = yield* BatchRows.use((batches) =>
            batches.items(request.principal.appId, batch.batch_id, { after, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.item)
          return success({ items: items.map((item) => toItemResource(batch, item)), next_cursor })
        })
      )
  )

  app.get(
    "/v1/telegram/batches/:batch_id/sheet",
    {
      schema: {
        operationId: "printBotBatch",
        summary: "Get a printable page of the bots of a batch. For create_managed, it has the links as QR codes",
        tags,
        params,
        response: answersAs("text/html", z.string(), "batch_not_found")
      }
    },
    async (request, reply) => {
      const { appId } = request.principal
      const sheet = await run(
        reply,
        Effect.gen(function* () {
          const batch = yield* find(appId, request.params.batch_id)
          const items = yield* BatchRows.use((batches) =>
            batches.items(appId, batch.batch_id, { after: null, limit: MAX_BOTS })
          )
          // A QR code takes half a millisecond, so yield between them.
          const cards = yield* Effect.forEach(items, (item) =>
            Effect.map(yieldBudget(appId), () => sheetCard(batch, item))
          )
          return botSheet(batch, items, cards, new Date(yield* Clock.currentTimeMillis))
        })
      )
      return reply
        .headers({ "content-security-policy": SHEET_POLICY, "cache-control": "no-store" })
        .type("text/html; charset=utf-8")
        .send(sheet)
    }
  )
}
