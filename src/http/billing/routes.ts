import type { Routes } from "#src/http/server/Server.ts"
import { accountCapsRoutes } from "./accountCapsRoutes.ts"
import { accountUsageRoutes } from "./accountUsageRoutes.ts"
import { endUserCapsRoutes } from "./endUserCapsRoutes.ts"
import { usageRoutes } from "./usageRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [endUserCapsRoutes, accountCapsRoutes, usageRoutes, accountUsageRoutes]
