import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { newId } from "#pipeline/domain/Id.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { ChatRows } from "#src/db/telegram/ChatRows.ts"
import { WebhookRegistrar } from "#src/jobs/telegram/WebhookRegistrar.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { toBotDetail, toBotResource } from "./botResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { telegramBotTaken, botNotFound } from "./telegramErrors.ts"
import { demoKeySurfaceDisabled } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate, written } from "#src/http/server/schemas/answers.ts"
import { BotCreate, BotData, BotDeleted, BotDetail, BotPage, BotPatch, shownLink } from "./telegramSchemas.ts"
import { createManagedBot } from "./createManagedBot.ts"
import type { Routes } from "#src/http/server/Server.ts"
import {
  registerWebhook,
  askTelegram,
  checkCharacter,
  findBot,
  readToken,
  replaceToken,
  setUpBot
} from "./telegramBot.ts"
import { botExists } from "./botExists.ts"

/**
 * A demo key may attach an existing bot, but may not have bots created. That error takes precedence over all others in
 * the body.
 */
const refuseManaged = async ({ principal, body }: FastifyRequest) => {
  if (
    principal.kind === "demo" &&
    typeof body === "object" &&
    body !== null &&
    "mode" in body &&
    body.mode === "managed"
  )
    throw demoKeySurfaceDisabled
}

export const telegramBotRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Telegram"]
  const params = z.object({ bot_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const hooksAt = () => `${baseUrl()}${HOOKS_PATH}`
  const actions = (id: string) => [
    { command: curl(baseUrl(), "GET", `/v1/telegram/bots/${id}`), description: "See the status of the bot" },
    { command: curl(baseUrl(), "GET", `/v1/telegram/bots/${id}/chats`), description: "List the chats of the bot" }
  ]
  const shown = (bot: StoredBot) => success(toBotResource(bot), actions(bot.channel_id))

  app.post(
    "/v1/telegram/bots",
    {
      config: { demo: true, writes: true },
      preValidation: refuseManaged,
      schema: {
        operationId: "createBot",
        summary: "Attach a Telegram bot, through which people talk to the character",
        tags,
        headers,
        body: BotCreate,
        response: answers(
          BotData.extend({ ...shownLink, ...onCreate }),
          "bot_not_found",
          "character_not_found",
          "character_archived",
          "managed_bots_unavailable",
          "telegram_bot_taken",
          "telegram_name_taken",
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
          if (body.mode === "managed") return yield* createManagedBot(request, body, hooksAt())
          const token = yield* readToken(body.token)
          yield* checkCharacter(appId, body.character_slug)
          const registrar = yield* WebhookRegistrar
          const identity = yield* registrar.identify(token).pipe(askTelegram)
          if (!body.takeover) yield* registrar.checkFree(token, hooksAt()).pipe(askTelegram)
          const rows = yield* BotRows
          let fresh: StoredBot | null = null
          const kept = yield* createOnce(
            request,
            Effect.gen(function* () {
              fresh = yield* rows
                .create(appId, {
                  ...identity,
                  channelId: newId("bot"),
                  characterSlug: body.character_slug,
                  token,
                  hooksAt: hooksAt(),
                  joinWindowMs: body.join_window_ms,
                  drafts: body.drafts,
                  unknownPolicy: body.unknown_policy
                })
                .pipe(Effect.catchTag("BotTaken", () => Effect.fail(telegramBotTaken.about("body.token"))))
              return shown(fresh)
            })
          )
          return fresh === null ? kept : shown(yield* setUpBot(fresh, hooksAt(), body.drop_pending))
        })
      )
  )

  app.get(
    "/v1/telegram/bots",
    {
      config: { demo: true },
      schema: {
        operationId: "listBots",
        summary: "List the app's Telegram bots",
        tags,
        querystring: z.object(listQuery),
        response: answers(BotPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const rows = yield* BotRows.use((bots) => bots.list(request.principal.appId, { after, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.channel_id)
          return success(
            { bots: items.map(toBotResource), next_cursor },
            items.slice(0, 1).flatMap((item) => actions(item.channel_id))
          )
        })
      )
  )

  app.get(
    "/v1/telegram/bots/:bot_id",
    {
      config: { demo: true },
      schema: {
        operationId: "getBot",
        summary: "Get a Telegram bot and its status",
        tags,
        params,
        response: answers(BotDetail, "bot_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBot(request)
          const figures = yield* ChatRows.use((chats) => chats.statistics(bot.app_id, bot.channel_id))
          return success(toBotDetail(bot, figures), actions(bot.channel_id))
        })
      )
  )

  app.patch(
    "/v1/telegram/bots/:bot_id",
    {
      config: { demo: true, exists: botExists, writes: true },
      schema: {
        operationId: "updateBot",
        summary: "Update a Telegram bot, or give it a new token",
        tags,
        params,
        body: BotPatch,
        response: answers(
          BotData.extend(written),
          "bot_not_found",
          "character_not_found",
          "bot_managed",
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
          const bot = yield* findBot(request)
          const { app_id: appId, channel_id: channelId } = bot
          const { body } = request
          const rows = yield* BotRows
          if (body.character_slug !== undefined) yield* checkCharacter(appId, body.character_slug)
          if (body.token !== undefined) yield* replaceToken(bot, body.token)
          const changed =
            (yield* rows.configure(appId, channelId, {
              characterSlug: body.character_slug,
              unknownPolicy: body.unknown_policy,
              joinWindowMs: body.join_window_ms,
              drafts: body.drafts
            })) ?? (yield* botNotFound)
          // Telegram's webhooks belong to tokens, so a new token needs a new webhook.
          const rearm = (body.token !== undefined || body.drop_pending === true) && changed.status !== "suspended"
          return shown(rearm ? yield* registerWebhook(changed, hooksAt(), body.drop_pending ?? false) : changed)
        })
      )
  )

  app.delete(
    "/v1/telegram/bots/:bot_id",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "deleteBot",
        summary: "Detach a Telegram bot. Its token is deleted, and its chats are closed",
        tags,
        params,
        response: answers(BotDeleted, "bot_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBot(request)
          yield* WebhookRegistrar.use((registrar) => registrar.unregister(bot))
          if (bot.mode === "managed") yield* Manager.use((manager) => manager.release(bot))
          const gone = yield* BotRows.use((rows) => rows.detach(bot.app_id, bot.channel_id, "deleted"))
          if (!gone) return yield* botNotFound
          return success({ id: bot.channel_id, deleted: true })
        })
      )
  )
}
