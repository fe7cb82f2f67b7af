import type { Routes } from "#src/http/server/Server.ts"
import { arcInfluenceRoutes } from "./arcInfluenceRoutes.ts"
import { graphRoutes } from "./graphRoutes.ts"
import { npcRoutes } from "./npcRoutes.ts"
import { storylineRoutes } from "./storylineRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [npcRoutes, graphRoutes, storylineRoutes, arcInfluenceRoutes]
