import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { BotRows } from "#src/db/telegram/BotRows.ts"
import { BY_OPERATOR } from "#src/db/telegram/bots/botStatus.ts"
import type { BotStatus, StoredBot } from "#src/db/telegram/bots/StoredBot.ts"
import { findBot } from "./telegramBot.ts"
import { botNotFound, botStatusConflict, botSuspendedByOperator } from "./telegramErrors.ts"

/** The bot in a path, if it has one of these statuses. */
export const findBotIn = Effect.fnUntraced(function* (request: FastifyRequest, statuses: ReadonlyArray<BotStatus>) {
  const bot = yield* findBot(request)
  return statuses.includes(bot.status) ? bot : yield* botStatusConflict(bot.status)
})

/** The same for what the app may not do to a bot that the operator has suspended. */
export const findOwnBotIn = Effect.fnUntraced(function* (request: FastifyRequest, statuses: ReadonlyArray<BotStatus>) {
  const bot = yield* findBotIn(request, statuses)
  return bot.status === "suspended" && bot.reason === BY_OPERATOR ? yield* botSuspendedByOperator : bot
})

/** The bot after an action. */
export const reloadBot = Effect.fnUntraced(function* ({ app_id, channel_id }: StoredBot) {
  return (yield* BotRows.use((rows) => rows.get(app_id, channel_id))) ?? (yield* botNotFound)
})
