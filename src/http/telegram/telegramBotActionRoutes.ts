import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import * as z from "zod"
import { HOOKS_PATH } from "#channels/telegram/hooksPath.ts"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import type { BotStatus, StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { RESUMPTION, suspension } from "#src/db/telegram/bots/botStatus.ts"
import { type ChatPlace, ChatRows } from "#src/db/telegram/ChatRows.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { Probe } from "#src/jobs/telegram/Probe.ts"
import { chatKey, toBotDetail, toBotResource, toChatResource } from "./botResource.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import {
  botNotManaged,
  botStatusConflict,
  notFound,
  preCheckoutOver,
  telegramUnavailable,
  validationError
} from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
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
import { actOnce, answerPreCheckout, armed, askTelegram, findBot } from "./telegramBot.ts"

/** Where the app gives no words of its own. */
const REFUSED = "This payment is not possible right now."

const readPlace = (key: string | null): ChatPlace | null | undefined => {
  if (key === null) return null
  const [, chat = "", thread = ""] = /^(-?\d{1,16})_(\d{1,16})$/.exec(key) ?? []
  return chat === "" ? undefined : { chatId: Number(chat), threadId: Number(thread) }
}

export const telegramBotActionRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Telegram"]
  const params = z.object({ bot_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const hooksAt = () => `${baseUrl()}${HOOKS_PATH}`
  const look = (id: string) => [
    { command: curl(baseUrl(), "GET", `/v1/telegram/bots/${id}`), description: "See how the bot is doing" }
  ]
  const shown = (bot: StoredBot) => success(toBotResource(bot), look(bot.channel_id))
  const again = Effect.fnUntraced(function* ({ app_id, channel_id }: StoredBot) {
    return (yield* BotRows.use((rows) => rows.get(app_id, channel_id))) ?? (yield* notFound.bot)
  })
  /** Only a bot in one of these can do that. */
  const findIn = Effect.fnUntraced(function* (request: FastifyRequest, statuses: ReadonlyArray<BotStatus>) {
    const bot = yield* findBot(request)
    return statuses.includes(bot.status) ? bot : yield* botStatusConflict(bot.status)
  })

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
          const bot = yield* findIn(request, ["pending", "active", "degraded"])
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
          const bot = yield* findIn(request, ["pending", "active", "degraded", "suspended", "revoked"])
          if (bot.mode !== "managed") return yield* botNotManaged
          return yield* actOnce(
            request,
            shown(bot),
            Manager.use((manager) => manager.rotate(bot)).pipe(
              askTelegram,
              Effect.andThen(again(bot)),
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
            const bot = yield* findIn(request, ["pending", "active", "degraded", "suspended"])
            yield* BotRows.use((rows) => rows.become(bot.app_id, bot.channel_id, suspension(bot.channel_id)))
            return shown(yield* again(bot))
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
          const bot = yield* findIn(request, ["pending", "active", "degraded", "suspended"])
          return yield* actOnce(
            request,
            shown(bot),
            Effect.gen(function* () {
              yield* BotRows.use((rows) => rows.become(bot.app_id, bot.channel_id, RESUMPTION))
              return shown(yield* armed(yield* again(bot), hooksAt(), false))
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
          const bot = yield* findIn(request, ["pending", "active", "degraded", "revoked"])
          const detail = Effect.gen(function* () {
            const now = yield* again(bot)
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
      config: { demo: true, within: "bot" },
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
          const { cursor, limit } = request.query
          const after = readPlace(yield* cursorKey(cursor))
          if (after === undefined) return yield* validationError("query.cursor: is not a cursor of this list")
          const bot = yield* findBot(request)
          const rows = yield* ChatRows.use((chats) =>
            chats.list(bot.app_id, bot.channel_id, { after, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, chatKey)
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
      config: { demo: true, within: "bot", writes: true },
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
          const { query_id, ok, error_message = REFUSED } = request.body
          const bot = yield* findIn(request, ["pending", "active", "degraded"])
          const told = success({ query_id, ok }, look(bot.channel_id))
          return yield* actOnce(
            request,
            told,
            answerPreCheckout(bot, { pre_checkout_query_id: query_id, ok, ...(!ok && { error_message }) }).pipe(
              Effect.catchIf(
                (error) => error._tag === "BotApiError" && error.status === 400,
                () => Effect.fail(preCheckoutOver)
              ),
              Effect.catchTag("BotApiError", ({ description }) => Effect.fail(telegramUnavailable(description))),
              Effect.as(told)
            )
          )
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/links",
    {
      config: { demo: true, within: "bot", writes: true },
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
