import type { Routes } from "#src/http/server/Server.ts"
import { adminHealthRoutes } from "./adminHealthRoutes.ts"
import { appHealthRoutes } from "./appHealthRoutes.ts"
import { breakGlassRoutes } from "./breakGlassRoutes.ts"
import { metricsRoutes } from "./metricsRoutes.ts"
import { operatorAppRoutes } from "./operatorAppRoutes.ts"
import { operatorAuditRoutes } from "./operatorAuditRoutes.ts"
import { operatorSignInRoutes } from "./operatorSignInRoutes.ts"
import { operatorTokenRoutes } from "./operatorTokenRoutes.ts"
import { signInRoutes } from "./signInRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  adminHealthRoutes,
  appHealthRoutes,
  breakGlassRoutes,
  metricsRoutes,
  operatorAppRoutes,
  operatorAuditRoutes,
  operatorSignInRoutes,
  operatorTokenRoutes,
  signInRoutes
]
