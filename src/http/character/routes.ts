import type { Routes } from "#src/http/server/Server.ts"
import { assetRoutes } from "./assetRoutes.ts"
import { characterExportRoutes } from "./characterExportRoutes.ts"
import { characterRoutes } from "./characterRoutes.ts"
import { characterVersionRoutes } from "./characterVersionRoutes.ts"
import { imageRoutes } from "./imageRoutes.ts"
import { loreRoutes } from "./loreRoutes.ts"
import { readinessRoutes } from "./readinessRoutes.ts"
import { visualIdentityRoutes } from "./visualIdentityRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  characterRoutes,
  characterVersionRoutes,
  readinessRoutes,
  characterExportRoutes,
  loreRoutes,
  assetRoutes,
  visualIdentityRoutes,
  imageRoutes
]
