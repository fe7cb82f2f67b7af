import type { Routes } from "#src/http/server/Server.ts"
import { accountAppRoutes } from "./accountAppRoutes.ts"
import { accountKeyRoutes } from "./accountKeyRoutes.ts"
import { accountRoutes } from "./accountRoutes.ts"
import { appRoutes } from "./appRoutes.ts"
import { auditLogRoutes } from "./auditLogRoutes.ts"
import { developmentIssuerRoutes } from "./developmentIssuerRoutes.ts"
import { deviceFlowRoutes } from "./deviceFlowRoutes.ts"
import { devicePageRoutes } from "./devicePageRoutes.ts"
import { sandboxRoutes } from "./sandboxRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  appRoutes,
  sandboxRoutes,
  accountRoutes,
  accountAppRoutes,
  accountKeyRoutes,
  auditLogRoutes,
  deviceFlowRoutes,
  devicePageRoutes,
  developmentIssuerRoutes
]
