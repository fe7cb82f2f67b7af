import type { Routes } from "#src/http/server/Server.ts"
import { accountScreen } from "./accounts/accountScreen.ts"
import { accountsScreen } from "./accounts/accountsScreen.ts"
import { appScreen } from "./apps/appScreen.ts"
import { appsScreen } from "./apps/appsScreen.ts"
import { suspendApp } from "./apps/suspendApp.ts"
import { assetRoutes } from "./assets.ts"
import { auditScreen } from "./audit/auditScreen.ts"
import { batchScreen } from "./batches/batchScreen.ts"
import { attachBot } from "./bots/attachBot.ts"
import { botActions } from "./bots/botActions.ts"
import { botScreen } from "./bots/botScreen.ts"
import { botsScreen } from "./bots/botsScreen.ts"
import { bulkBots } from "./bots/bulkBots.ts"
import { replaceToken } from "./bots/replaceToken.ts"
import { characterScreen } from "./characters/characterScreen.ts"
import { charactersScreen } from "./characters/charactersScreen.ts"
import { testChat } from "./characters/testChat.ts"
import { versionsScreen } from "./characters/versionsScreen.ts"
import { consoleRoutes } from "./console.ts"
import { conversationScreen } from "./conversations/conversationScreen.ts"
import { conversationsScreen } from "./conversations/conversationsScreen.ts"
import { deliveriesScreen } from "./deliveries/deliveriesScreen.ts"
import { retryDeliveries } from "./deliveries/retryDeliveries.ts"
import { operatorsScreen } from "./operators/operatorsScreen.ts"
import { overviewScreen } from "./overview/overviewScreen.ts"
import { holdActions } from "./system/holdActions.ts"
import { jobActions } from "./system/jobActions.ts"
import { systemScreen } from "./system/systemScreen.ts"
import { webhookScreen } from "./webhooks/webhookScreen.ts"
import { webhooksScreen } from "./webhooks/webhooksScreen.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  assetRoutes,
  consoleRoutes([
    overviewScreen,
    botsScreen,
    bulkBots,
    batchScreen,
    attachBot,
    botScreen,
    botActions,
    replaceToken,
    conversationsScreen,
    conversationScreen,
    deliveriesScreen,
    retryDeliveries,
    webhooksScreen,
    webhookScreen,
    charactersScreen,
    characterScreen,
    versionsScreen,
    testChat,
    appsScreen,
    appScreen,
    suspendApp,
    accountsScreen,
    accountScreen,
    systemScreen,
    jobActions,
    holdActions,
    auditScreen,
    operatorsScreen
  ])
]
