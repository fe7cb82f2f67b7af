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

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  appHealthRoutes,
  adminHealthRoutes,
  alertChannelRoutes,
  alertRoutes,
  jobRoutes,
  metricsRoutes,
  operatorAppRoutes,
  overviewRoutes,
  workerRoutes
]
