import type { Routes } from "./Server.ts"
import { accountRoutes } from "./routes/account.ts"
import { accountAppRoutes } from "./routes/accountApps.ts"
import { accountKeyRoutes } from "./routes/accountKeys.ts"
import { appRoutes } from "./routes/apps.ts"
import { channelRoutes } from "./routes/channels.ts"
import { characterRoutes } from "./routes/characters.ts"
import { characterVersionRoutes } from "./routes/characterVersions.ts"
import { deliveryEventRoutes } from "./routes/deliveryEvents.ts"
import { deliveryRoutes } from "./routes/deliveries.ts"
import { developmentIssuerRoutes } from "./routes/developmentIssuer.ts"
import { deviceFlowRoutes } from "./routes/deviceFlow.ts"
import { devicePageRoutes } from "./routes/devicePages.ts"
import { eventRoutes } from "./routes/events.ts"
import { healthRoutes } from "./routes/health.ts"
import { messageRoutes } from "./routes/messages.ts"
import { referenceRoutes } from "./routes/reference.ts"
import { runRoutes } from "./routes/runs.ts"
import { sessionRoutes } from "./routes/sessions.ts"
import { telegramBotRoutes } from "./routes/telegramBots.ts"
import { telegramBotActionRoutes } from "./routes/telegramBotActions.ts"
import { telegramHookRoutes } from "./routes/telegramHooks.ts"
import { telegramBatchRoutes } from "./routes/telegramBatches.ts"
import { traceRoutes } from "./routes/trace.ts"

export const routes: ReadonlyArray<Routes> = [
  healthRoutes, referenceRoutes, appRoutes, characterRoutes, characterVersionRoutes, sessionRoutes, messageRoutes, eventRoutes, channelRoutes, deliveryRoutes, deliveryEventRoutes, telegramBotRoutes, telegramBotActionRoutes, telegramBatchRoutes, telegramHookRoutes, traceRoutes, runRoutes,
  accountRoutes, accountAppRoutes, accountKeyRoutes, deviceFlowRoutes, devicePageRoutes, developmentIssuerRoutes
]
