import type { Routes } from "./Server.ts"
import { healthRoutes } from "./healthRoutes.ts"
import { startRoutes } from "./startRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [healthRoutes, startRoutes]
