import type { Routes } from "#src/http/server/Server.ts"
import { alertChannelRoutes } from "./alertChannelRoutes.ts"
import { alertRoutes } from "./alertRoutes.ts"
import { jobRoutes } from "./jobRoutes.ts"
import { overviewRoutes } from "./overviewRoutes.ts"
import { workerRoutes } from "./workerRoutes.ts"
import { adminHealthRoutes } from "./adminHealthRoutes.ts"
import { appHealthRoutes } from "./appHealthRoutes.ts"
import { metricsRoutes } from "./metricsRoutes.ts"
import { operatorAppRoutes } from "./operatorAppRoutes.ts"
import { operatorBotRoutes } from "./operatorBotRoutes.ts"
import { operatorChannelRoutes } from "./operatorChannelRoutes.ts"
import { operatorDeliveryRoutes } from "./operatorDeliveryRoutes.ts"
import { operatorLedgerRoutes } from "./operatorLedgerRoutes.ts"
import { operatorSessionRoutes } from "./operatorSessionRoutes.ts"
import { operatorSettingRoutes } from "./operatorSettingRoutes.ts"
import { operatorTraceRoutes } from "./operatorTraceRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  appHealthRoutes,
  adminHealthRoutes,
  alertChannelRoutes,
  alertRoutes,
  jobRoutes,
  metricsRoutes,
  operatorAppRoutes,
  operatorBotRoutes,
  operatorChannelRoutes,
  operatorDeliveryRoutes,
  operatorLedgerRoutes,
  operatorSessionRoutes,
  operatorSettingRoutes,
  operatorTraceRoutes,
  overviewRoutes,
  workerRoutes
]
