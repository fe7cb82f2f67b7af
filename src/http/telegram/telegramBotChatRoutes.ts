import * as Effect from "effect/Effect"
import * as z from "zod"
import { BotLinks } from "#src/db/telegram/BotLinks.ts"
import { curl, success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { listQuery } from "#src/http/server/listing.ts"
import { answers, created as onCreate } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { botExists } from "./botExists.ts"
import { findBotIn } from "./botInStatus.ts"
import { toChatResource } from "./botResource.ts"
import { decidePreCheckout } from "./decidePreCheckout.ts"
import { listChats } from "./listChats.ts"
import { qrCode } from "./qrCode.ts"
import { runOnce, findBot } from "./telegramBot.ts"
import { botStatusConflict } from "./telegramErrors.ts"
import { ChatPage, LinkCreate, LinkData, PreCheckoutAnswer, PreCheckoutAnswered } from "./telegramSchemas.ts"

/** Who talks to a bot: the list of them, links for more, and the payments they begin. */
export const telegramBotChatRoutes: Routes = ({ app, answer, baseUrl }) => {
  const tags = ["Telegram"]
  const params = z.object({ bot_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })

  app.get(
    "/v1/telegram/bots/:bot_id/chats",
    {
      config: { demo: true, exists: botExists },
      schema: {
        operationId: "listBotChats",
        summary: "List the chats of the bot, with their sessions",
        tags,
        params,
        querystring: z.object(listQuery),
        response: answers(ChatPage, "bot_not_found")
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
                        description: "Read the conversation"
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
        summary: "Approve or reject a payment: the response to payment.pre_checkout, within ten seconds",
        tags,
        params,
        headers,
        body: PreCheckoutAnswer,
        response: answers(
          PreCheckoutAnswered.extend(onCreate),
          "bot_not_found",
          "bot_status_conflict",
          "pre_checkout_over",
          "upstream_failed"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { query_id, ok } = request.body
          const bot = yield* findBotIn(request, ["pending", "active", "degraded"])
          const told = success({ query_id, ok }, [
            {
              command: curl(baseUrl(), "GET", `/v1/telegram/bots/${bot.channel_id}`),
              description: "See the status of the bot"
            }
          ])
          return yield* runOnce(request, told, Effect.as(decidePreCheckout(bot, request.body), told))
        })
      )
  )

  app.post(
    "/v1/telegram/bots/:bot_id/links",
    {
      config: { demo: true, exists: botExists, writes: true },
      schema: {
        operationId: "createBotLink",
        summary: "Create a link with which a user continues a conversation in Telegram. Valid once, for 15 minutes",
        tags,
        params,
        headers,
        body: LinkCreate,
        response: answers(LinkData.extend(onCreate), "bot_not_found", "bot_status_conflict")
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
