import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import type { BotFilter } from "#src/db/operators/botFilter.ts"
import { type FleetBot, FleetBots } from "#src/db/operators/FleetBots.ts"
import { BOT_STATUSES } from "#src/db/telegram/bots/StoredBot.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"
import { FleetBotData, FleetBotPage, FleetBotQuery } from "./operatorBotSchemas.ts"
import { anyBotNotFound } from "./operatorErrors.ts"
import { positionOf, sortedPage, wordsOf } from "./position.ts"

/** The bot that a path names. */
export const findAnyBot = Effect.fnUntraced(function* (botId: string) {
  const found = isId("bot", botId) ? yield* FleetBots.use((bots) => bots.get(botId)) : undefined
  return found ?? (yield* anyBotNotFound)
})

export const toFleetBot = (bot: FleetBot) => ({
  id: bot.bot_id,
  app_id: bot.app_id,
  app_name: bot.app_name,
  mode: bot.mode,
  character_slug: bot.character_slug,
  username: bot.username,
  status: bot.status,
  reason: bot.reason,
  held: bot.held,
  last_in_at: bot.last_in_at?.toISOString() ?? null,
  last_out_at: bot.last_out_at?.toISOString() ?? null,
  outbound_lag_seconds: bot.outbound_lag,
  inbound_lag_seconds: bot.inbound_lag,
  failing_since: bot.failing_since?.toISOString() ?? null,
  telegram: {
    probed_at: bot.health.probed_at ?? null,
    pending_update_count: bot.health.pending_update_count ?? null,
    last_error_message: bot.health.last_error_message ?? null,
    last_error_at: bot.health.last_error_at ?? null
  },
  token_hint: bot.token_hint,
  webhook_set_at: bot.webhook_set_at?.toISOString() ?? null,
  created_at: bot.created_at.toISOString()
})

/** The filter that a query names. */
export const readBotFilter = Effect.fnUntraced(function* (query: {
  readonly app_id?: string | undefined
  readonly state?: string | undefined
  readonly reason?: string | undefined
  readonly lag_over?: number | undefined
  readonly silent_for?: number | undefined
  readonly unsent_for?: number | undefined
}) {
  return {
    appId: query.app_id ?? null,
    botIds: [],
    states: yield* wordsOf("state", query.state, BOT_STATUSES),
    reason: query.reason ?? null,
    lagOver: query.lag_over ?? null,
    silentFor: query.silent_for ?? null,
    unsentFor: query.unsent_for ?? null
  } satisfies BotFilter
})

/** The Telegram bots of every app. */
export const operatorBotRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/bots",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listFleetBots",
        summary: "List the Telegram bots of every app, the worst first",
        querystring: FleetBotQuery,
        response: answers(FleetBotPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { sort, limit, cursor } = request.query
          const after = yield* positionOf(cursor)
          const filter = yield* readBotFilter(request.query)
          const rows = yield* FleetBots.use((bots) => bots.list(filter, sort, { after, limit: limit + 1 }))
          const { items, next_cursor } = sortedPage(rows, limit, (row) => row.bot_id)
          return success({ bots: items.map(toFleetBot), next_cursor })
        })
      )
  )

  app.get(
    "/admin/bots/:bot_id",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "getFleetBot",
        summary: "Get a Telegram bot of any app",
        params: z.object({ bot_id: z.string() }),
        response: answers(FleetBotData, "bot_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(findAnyBot(request.params.bot_id), (bot) => success(toFleetBot(bot)))
      )
  )
}
