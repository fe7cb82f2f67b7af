import * as Effect from "effect/Effect"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { RESUMPTION, suspension } from "#src/db/telegram/bots/botStatus.ts"
import { ChatRows } from "#src/db/telegram/ChatRows.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { toBotDetail, toBotResource, toChatResource } from "./botResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { findBotIn, readAgain } from "./botInStatus.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { decidePreCheckout } from "./decidePreCheckout.ts"
import { listChats } from "./listChats.ts"
import { qrCode } from "./qrCode.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import {
  BotData,
  BotDetail,
  ChatPage,
  LinkCreate,
  LinkData,
  PreCheckoutAnswer,
  PreCheckoutAnswered
} from "./telegramSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { actOnce, armed, askTelegram, findBot } from "./telegramBot.ts"
import { botExists } from "./botExists.ts"
import { botNotManaged, botStatusConflict } from "./telegramErrors.ts"

export const telegramBotActionRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Telegram"]
  const params = z.object({ bot_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const hooksAt = () => `${baseUrl()}${HOOKS_PATH}`
  const look = (id: string) => [
    { command: curl(baseUrl(), "GET", `/v1/telegram/bots/${id}`), description: "See how the bot is doing" }
  ]
  const shown = (bot: StoredBot) => success(toBotResource(bot), look(bot.channel_id))

  app.post(
    "/v1/telegram/bots/:bot_id/rotate-secret",
    {
      config: { demo: true, writes: true },
      schema: {
        operationId: "rotateBotSecret",
        summary: "Have Telegram prove itself with a new secret; the old one is good for ten more minutes",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), 404, 409)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBotIn(request, ["pending", "active", "degraded"])
          return yield* actOnce(request, shown(bot), Effect.map(armed(bot, hooksAt(), false), shown))
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/rotate-token",
    {
      config: { writes: true },
      schema: {
        operationId: "rotateBotToken",
        summary: "Give a managed bot a new token; the old one is dead at once",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), 404, 409, 502)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBotIn(request, ["pending", "active", "degraded", "suspended", "revoked"])
          if (bot.mode !== "managed") return yield* botNotManaged
          return yield* actOnce(
            request,
            shown(bot),
            Manager.use((manager) => manager.rotate(bot)).pipe(
              askTelegram,
              Effect.andThen(readAgain(bot)),
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
        summary: "Hold what comes in and what goes out until the bot is resumed",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), 404, 409)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const bot = yield* findBotIn(request, ["pending", "active", "degraded", "suspended"])
            yield* BotRows.use((rows) => rows.become(bot.app_id, bot.channel_id, suspension(bot.channel_id)))
            return shown(yield* readAgain(bot))
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
        summary: "Go on where a bot that was suspended stands",
        tags,
        params,
        headers,
        response: answers(BotData.extend(onCreate), 404, 409)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBotIn(request, ["pending", "active", "degraded", "suspended"])
          return yield* actOnce(
            request,
            shown(bot),
            Effect.gen(function* () {
              yield* BotRows.use((rows) => rows.become(bot.app_id, bot.channel_id, RESUMPTION))
              return shown(yield* armed(yield* readAgain(bot), hooksAt(), false))
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
        summary: "Ask Telegram now how the bot is doing",
        tags,
        params,
        headers,
        response: answers(BotDetail.extend(onCreate), 404, 409)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const bot = yield* findBotIn(request, ["pending", "active", "degraded", "revoked"])
          const detail = Effect.gen(function* () {
            const now = yield* readAgain(bot)
            return success(
              toBotDetail(now, yield* ChatRows.use((chats) => chats.figures(now.app_id, now.channel_id))),
              look(now.channel_id)
            )
          })
          return yield* actOnce(
            request,
            yield* detail,
            Effect.andThen(
              Probe.use((probe) => probe.one(bot)),
              detail
            )
          )
        })
      )
  )

  app.get(
    "/v1/telegram/bots/:bot_id/chats",
    {
      config: { demo: true, exists: botExists },
      schema: {
        operationId: "listBotChats",
        summary: "Who talks to the bot, and in which session",
        tags,
        params,
        querystring: z.object(listQuery),
        response: answers(ChatPage, 404)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { items, next_cursor } = yield* listChats(request, request.query)
          return success(
            { chats: items.map(toChatResource), next_cursor },
            items
              .flatMap(({ session_id }) =>
                session_id === null
                  ? []
                  : [
                      {
                        command: curl(baseUrl(), "GET", `/v1/sessions/${session_id}/events?since=0`),
                        description: "Read what was said"
                      }
                    ]
              )
              .slice(0, 1)
          )
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/answer-pre-checkout",
    {
      config: { demo: true, exists: botExists, writes: true },
      schema: {
        operationId: "answerPreCheckout",
        summary: "Let a payment go on, or refuse it: the answer to a payment.pre_checkout, within ten seconds",
        tags,
        params,
        headers,
        body: PreCheckoutAnswer,
        response: answers(PreCheckoutAnswered.extend(onCreate), 404, 409, 413, 502)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { query_id, ok } = request.body
          const bot = yield* findBotIn(request, ["pending", "active", "degraded"])
          const told = success({ query_id, ok }, look(bot.channel_id))
          return yield* actOnce(request, told, Effect.as(decidePreCheckout(bot, request.body), told))
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/links",
    {
      config: { demo: true, exists: botExists, writes: true },
      schema: {
        operationId: "createBotLink",
        summary: "A link by which a user of yours goes on in Telegram; good for 15 minutes, once",
        tags,
        params,
        headers,
        body: LinkCreate,
        response: answers(LinkData.extend(onCreate), 404, 409, 413)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const bot = yield* findBot(request)
            if (bot.username === null) return yield* botStatusConflict(bot.status)
            const { code, expiresAt } = yield* BotLinks.use((links) =>
              links.create(bot.app_id, bot.channel_id, request.body.external_user_ref)
            )
            const url = `https://t.me/${bot.username}?start=${code}`
            return { ...success({ expires_at: expiresAt.toISOString() }), shownOnce: { url, qr: qrCode(url) } }
          })
        )
      )
  )
}
