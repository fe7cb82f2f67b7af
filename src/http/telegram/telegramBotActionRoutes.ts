import * as Effect from "effect/Effect"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { RESUMPTION, suspension } from "#src/db/telegram/bots/botStatus.ts"
import { ChatRows } from "#src/db/telegram/ChatRows.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { toBotDetail, toBotResource } from "./botResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { findBotIn, findOwnBotIn, reloadBot } from "./botInStatus.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import { BotData, BotDetail } from "./telegramSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { runOnce, registerWebhook, askTelegram } from "./telegramBot.ts"
import { botNotManaged } from "./telegramErrors.ts"

export const telegramBotActionRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Telegram"]
  const params = z.object({ bot_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const hooksAt = () => `${baseUrl()}${HOOKS_PATH}`
  const look = (id: string) => [
    { command: curl(baseUrl(), "GET", `/v1/telegram/bots/${id}`), description: "See the status of the bot" }
  ]
  const shown = (bot: StoredBot) => success(toBotResource(bot), look(bot.channel_id))

  app.post(
    "/v1/telegram/bots/:bot_id/rotate-secret",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "rotateBotSecret",
        summary: "Rotate the webhook secret. The old secret stays valid for ten minutes",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), "bot_not_found", "bot_status_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBotIn(request, ["pending", "active", "degraded"])
          return yield* runOnce(request, shown(bot), Effect.map(registerWebhook(bot, hooksAt(), false), shown))
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/rotate-token",
    {
      config: { writes: true },
      schema: {
        operationId: "rotateBotToken",
        summary: "Rotate the token of a managed bot. The old token stops working immediately",
        tags,
        params,
        headers,
        response: answers(
          BotData.extend(onCreate),
          "bot_not_found",
          "bot_not_managed",
          "bot_status_conflict",
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
          const bot = yield* findBotIn(request, ["pending", "active", "degraded", "suspended", "revoked"])
          if (bot.mode !== "managed") return yield* botNotManaged
          return yield* runOnce(
            request,
            shown(bot),
            Manager.use((manager) => manager.rotate(bot)).pipe(
              askTelegram,
              Effect.andThen(reloadBot(bot)),
              Effect.map(shown)
            )
          )
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/suspend",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "suspendBot",
        summary: "Suspend a bot. Incoming and outgoing messages are held until it is resumed",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), "bot_not_found", "bot_status_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const bot = yield* findOwnBotIn(request, ["pending", "active", "degraded", "suspended"])
            yield* BotRows.use((rows) => rows.changeStatus(bot.app_id, bot.channel_id, suspension(bot.channel_id)))
            return shown(yield* reloadBot(bot))
          })
        )
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/resume",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "resumeBot",
        summary: "Resume a suspended bot from where it stopped",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), "bot_not_found", "bot_status_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findOwnBotIn(request, ["pending", "active", "degraded", "suspended"])
          return yield* runOnce(
            request,
            shown(bot),
            Effect.gen(function* () {
              yield* BotRows.use((rows) => rows.changeStatus(bot.app_id, bot.channel_id, RESUMPTION))
              return shown(yield* registerWebhook(yield* reloadBot(bot), hooksAt(), false))
            })
          )
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/probe",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "probeBot",
        summary: "Check the status of the bot with Telegram now",
        tags,
        params,
        headers,
        response: answers(BotDetail.extend(onCreate), "bot_not_found", "bot_status_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBotIn(request, ["pending", "active", "degraded", "revoked"])
          const detail = Effect.gen(function* () {
            const now = yield* reloadBot(bot)
            return success(
              toBotDetail(now, yield* ChatRows.use((chats) => chats.statistics(now.app_id, now.channel_id))),
              look(now.channel_id)
            )
          })
          return yield* runOnce(
            request,
            yield* detail,
            Effect.andThen(
              Probe.use((probe) => probe.probe(bot)),
              detail
            )
          )
        })
      )
  )
}
