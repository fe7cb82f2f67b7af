import type { Routes } from "#src/http/server/Server.ts"
import { proactivePolicyRoutes } from "./proactivePolicyRoutes.ts"
import { proactivePreferenceRoutes } from "./proactivePreferenceRoutes.ts"
import { proactiveRoutes } from "./proactiveRoutes.ts"
import { scheduleRoutes } from "./scheduleRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  proactiveRoutes,
  scheduleRoutes,
  proactivePolicyRoutes,
  proactivePreferenceRoutes
]
