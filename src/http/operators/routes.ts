import type { Routes } from "#src/http/server/Server.ts"
import { adminHealthRoutes } from "./adminHealthRoutes.ts"
import { appHealthRoutes } from "./appHealthRoutes.ts"
import { metricsRoutes } from "./metricsRoutes.ts"
import { operatorAppRoutes } from "./operatorAppRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [appHealthRoutes, adminHealthRoutes, metricsRoutes, operatorAppRoutes]
