import type { Routes } from "#src/http/server/Server.ts"
import { eventRoutes } from "./eventRoutes.ts"
import { messageRoutes } from "./messageRoutes.ts"
import { metricsRoutes } from "./metricsRoutes.ts"
import { runRoutes } from "./runRoutes.ts"
import { sessionRoutes } from "./sessionRoutes.ts"
import { timelineRoutes } from "./timelineRoutes.ts"
import { traceRoutes } from "./traceRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  sessionRoutes,
  messageRoutes,
  eventRoutes,
  traceRoutes,
  runRoutes,
  timelineRoutes,
  metricsRoutes
]
