import type { Routes } from "#src/http/server/Server.ts"
import { evidenceRoutes } from "./evidenceRoutes.ts"
import { findingRoutes } from "./findingRoutes.ts"
import { researchRoutes } from "./researchRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [evidenceRoutes, researchRoutes, findingRoutes]
