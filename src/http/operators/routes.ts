import type { Routes } from "#src/http/server/Server.ts"
import { adminHealthRoutes } from "./adminHealthRoutes.ts"
import { alertChannelRoutes } from "./alertChannelRoutes.ts"
import { alertRoutes } from "./alertRoutes.ts"
import { jobRoutes } from "./jobRoutes.ts"
import { overviewRoutes } from "./overviewRoutes.ts"
import { workerRoutes } from "./workerRoutes.ts"
import { appActionRoutes } from "./appActionRoutes.ts"
import { appHealthRoutes } from "./appHealthRoutes.ts"
import { botActionRoutes } from "./botActionRoutes.ts"
import { botBatchRoutes } from "./botBatchRoutes.ts"
import { operatorChannelActionRoutes } from "./channelActionRoutes.ts"
import { deliveryActionRoutes } from "./deliveryActionRoutes.ts"
import { holdRoutes } from "./holdRoutes.ts"
import { breakGlassRoutes } from "./breakGlassRoutes.ts"
import { contentRoutes } from "./contentRoutes.ts"
import { metricsRoutes } from "./metricsRoutes.ts"
import { operatorAppRoutes } from "./operatorAppRoutes.ts"
import { operatorAuditRoutes } from "./operatorAuditRoutes.ts"
import { operatorBotRoutes } from "./operatorBotRoutes.ts"
import { operatorChannelRoutes } from "./operatorChannelRoutes.ts"
import { operatorDeliveryRoutes } from "./operatorDeliveryRoutes.ts"
import { operatorLedgerRoutes } from "./operatorLedgerRoutes.ts"
import { operatorSessionRoutes } from "./operatorSessionRoutes.ts"
import { operatorSettingRoutes } from "./operatorSettingRoutes.ts"
import { operatorSignInRoutes } from "./operatorSignInRoutes.ts"
import { operatorTokenRoutes } from "./operatorTokenRoutes.ts"
import { operatorTraceRoutes } from "./operatorTraceRoutes.ts"
import { sessionActionRoutes } from "./sessionActionRoutes.ts"
import { signInRoutes } from "./signInRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  adminHealthRoutes,
  alertChannelRoutes,
  alertRoutes,
  appHealthRoutes,
  breakGlassRoutes,
  contentRoutes,
  jobRoutes,
  metricsRoutes,
  operatorAppRoutes,
  appActionRoutes,
  operatorAuditRoutes,
  operatorBotRoutes,
  botActionRoutes,
  botBatchRoutes,
  operatorChannelRoutes,
  operatorChannelActionRoutes,
  operatorDeliveryRoutes,
  deliveryActionRoutes,
  holdRoutes,
  operatorLedgerRoutes,
  operatorSessionRoutes,
  sessionActionRoutes,
  operatorSettingRoutes,
  operatorSignInRoutes,
  operatorTokenRoutes,
  operatorTraceRoutes,
  overviewRoutes,
  signInRoutes,
  workerRoutes
]
