import type { Routes } from "#src/http/server/Server.ts"
import { telegramBatchRoutes } from "./telegramBatchRoutes.ts"
import { telegramBotActionRoutes } from "./telegramBotActionRoutes.ts"
import { telegramBotChatRoutes } from "./telegramBotChatRoutes.ts"
import { telegramBotRoutes } from "./telegramBotRoutes.ts"
import { telegramHookRoutes } from "./telegramHookRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  telegramBotRoutes,
  telegramBotActionRoutes,
  telegramBotChatRoutes,
  telegramBatchRoutes,
  telegramHookRoutes
]
