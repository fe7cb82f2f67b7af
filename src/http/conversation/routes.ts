import type { Routes } from "#src/http/server/Server.ts"
import { consumerRoutes } from "./consumerRoutes.ts"
import { endUserSessionRoutes } from "./endUserSessionRoutes.ts"
import { eventRoutes } from "./eventRoutes.ts"
import { feedRoutes } from "./feedRoutes.ts"
import { historyRoutes } from "./historyRoutes.ts"
import { imageRequestRoutes } from "./imageRequestRoutes.ts"
import { messageRoutes } from "./messageRoutes.ts"
import { metricsRoutes } from "./metricsRoutes.ts"
import { runRoutes } from "./runRoutes.ts"
import { sessionRoutes } from "./sessionRoutes.ts"
import { sessionStateRoutes } from "./sessionStateRoutes.ts"
import { streamTokenRoutes } from "./streamTokenRoutes.ts"
import { timelineRoutes } from "./timelineRoutes.ts"
import { traceRoutes } from "./traceRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  sessionRoutes,
  sessionStateRoutes,
  endUserSessionRoutes,
  messageRoutes,
  historyRoutes,
  eventRoutes,
  streamTokenRoutes,
  feedRoutes,
  consumerRoutes,
  traceRoutes,
  runRoutes,
  timelineRoutes,
  metricsRoutes,
  imageRequestRoutes
]
