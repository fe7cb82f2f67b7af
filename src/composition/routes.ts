import { eventPush } from "#src/http/delivery/eventPush.ts"
import type { Described } from "#src/http/server/reference/openapi.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { accountRoutes } from "#src/http/tenancy/accountRoutes.ts"
import { accountAppRoutes } from "#src/http/tenancy/accountAppRoutes.ts"
import { accountCapsRoutes } from "#src/http/billing/accountCapsRoutes.ts"
import { accountKeyRoutes } from "#src/http/tenancy/accountKeyRoutes.ts"
import { appHealthRoutes } from "#src/http/operators/appHealthRoutes.ts"
import { assetRoutes } from "#src/http/character/assetRoutes.ts"
import { appRoutes } from "#src/http/tenancy/appRoutes.ts"
import { arcInfluenceRoutes } from "#src/http/world/arcInfluenceRoutes.ts"
import { auditLogRoutes } from "#src/http/tenancy/auditLogRoutes.ts"
import { channelRoutes } from "#src/http/delivery/channelRoutes.ts"
import { characterExportRoutes } from "#src/http/character/characterExportRoutes.ts"
import { characterRoutes } from "#src/http/character/characterRoutes.ts"
import { characterVersionRoutes } from "#src/http/character/characterVersionRoutes.ts"
import { deliveryEventRoutes } from "#src/http/delivery/deliveryEventRoutes.ts"
import { deliveryRoutes } from "#src/http/delivery/deliveryRoutes.ts"
import { developmentIssuerRoutes } from "#src/http/tenancy/developmentIssuerRoutes.ts"
import { deviceFlowRoutes } from "#src/http/tenancy/deviceFlowRoutes.ts"
import { devicePageRoutes } from "#src/http/tenancy/devicePageRoutes.ts"
import { endUserRoutes } from "#src/http/privacy/endUserRoutes.ts"
import { endUserCapsRoutes } from "#src/http/billing/endUserCapsRoutes.ts"
import { evalRunRoutes } from "#src/http/evals/evalRunRoutes.ts"
import { evalSuiteRoutes } from "#src/http/evals/evalSuiteRoutes.ts"
import { evidenceRoutes } from "#src/http/research/evidenceRoutes.ts"
import { eventRoutes } from "#src/http/conversation/eventRoutes.ts"
import { graphRoutes } from "#src/http/world/graphRoutes.ts"
import { healthRoutes } from "#src/http/server/healthRoutes.ts"
import { importRoutes } from "#src/http/character/importRoutes.ts"
import { loreRoutes } from "#src/http/character/loreRoutes.ts"
import { imageRoutes } from "#src/http/character/imageRoutes.ts"
import { memoryRoutes } from "#src/http/memory/memoryRoutes.ts"
import { messageRoutes } from "#src/http/conversation/messageRoutes.ts"
import { metricsRoutes } from "#src/http/conversation/metricsRoutes.ts"
import { npcRoutes } from "#src/http/world/npcRoutes.ts"
import { openLoopRoutes } from "#src/http/memory/openLoopRoutes.ts"
import { proactiveRoutes } from "#src/http/proactive/proactiveRoutes.ts"
import { proactivePolicyRoutes } from "#src/http/proactive/proactivePolicyRoutes.ts"
import { proactivePreferenceRoutes } from "#src/http/proactive/proactivePreferenceRoutes.ts"
import { readinessRoutes } from "#src/http/character/readinessRoutes.ts"
import { referenceRoutes } from "#src/http/server/reference/referenceRoutes.ts"
import { relationshipScoreRoutes } from "#src/http/memory/relationshipScoreRoutes.ts"
import { researchRoutes } from "#src/http/research/researchRoutes.ts"
import { runRoutes } from "#src/http/conversation/runRoutes.ts"
import { sandboxRoutes } from "#src/http/tenancy/sandboxRoutes.ts"
import { scheduleRoutes } from "#src/http/proactive/scheduleRoutes.ts"
import { sessionRoutes } from "#src/http/conversation/sessionRoutes.ts"
import { snapshotRoutes } from "#src/http/memory/snapshotRoutes.ts"
import { storylineRoutes } from "#src/http/world/storylineRoutes.ts"
import { telegramBotRoutes } from "#src/http/telegram/telegramBotRoutes.ts"
import { telegramBotActionRoutes } from "#src/http/telegram/telegramBotActionRoutes.ts"
import { telegramHookRoutes } from "#src/http/telegram/telegramHookRoutes.ts"
import { telegramBatchRoutes } from "#src/http/telegram/telegramBatchRoutes.ts"
import { timelineRoutes } from "#src/http/conversation/timelineRoutes.ts"
import { traceRoutes } from "#src/http/conversation/traceRoutes.ts"
import { usageRoutes } from "#src/http/billing/usageRoutes.ts"
import { visualIdentityRoutes } from "#src/http/character/visualIdentityRoutes.ts"

/** What is pushed to clients, for the OpenAPI document. */
export const webhooks: Described["webhooks"] = { event: eventPush }

/** All routes of the server. */
export const routes: ReadonlyArray<Routes> = [
  healthRoutes,
  // Loaded once more on the thread that describes them.
  referenceRoutes(import.meta.url),
  appRoutes,
  characterRoutes,
  characterVersionRoutes,
  readinessRoutes,
  evidenceRoutes,
  researchRoutes,
  characterExportRoutes,
  importRoutes,
  npcRoutes,
  graphRoutes,
  loreRoutes,
  storylineRoutes,
  arcInfluenceRoutes,
  sessionRoutes,
  proactiveRoutes,
  scheduleRoutes,
  proactivePolicyRoutes,
  messageRoutes,
  eventRoutes,
  channelRoutes,
  deliveryRoutes,
  deliveryEventRoutes,
  telegramBotRoutes,
  telegramBotActionRoutes,
  telegramBatchRoutes,
  telegramHookRoutes,
  traceRoutes,
  runRoutes,
  timelineRoutes,
  evalSuiteRoutes,
  evalRunRoutes,
  appHealthRoutes,
  metricsRoutes,
  relationshipScoreRoutes,
  memoryRoutes,
  openLoopRoutes,
  proactivePreferenceRoutes,
  snapshotRoutes,
  sandboxRoutes,
  endUserRoutes,
  endUserCapsRoutes,
  assetRoutes,
  visualIdentityRoutes,
  imageRoutes,
  accountRoutes,
  accountAppRoutes,
  accountKeyRoutes,
  accountCapsRoutes,
  auditLogRoutes,
  usageRoutes,
  deviceFlowRoutes,
  devicePageRoutes,
  developmentIssuerRoutes
]
