import type { Routes } from "#src/http/server/Server.ts"
import { evalRunRoutes } from "./evalRunRoutes.ts"
import { evalSuiteRoutes } from "./evalSuiteRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [evalSuiteRoutes, evalRunRoutes]
