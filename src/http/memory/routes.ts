import type { Routes } from "#src/http/server/Server.ts"
import { memoryRoutes } from "./memoryRoutes.ts"
import { memorySearchRoutes } from "./memorySearchRoutes.ts"
import { openLoopRoutes } from "./openLoopRoutes.ts"
import { recallRoutes } from "./recallRoutes.ts"
import { relationshipScoreRoutes } from "./relationshipScoreRoutes.ts"
import { snapshotRoutes } from "./snapshotRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [
  relationshipScoreRoutes,
  memoryRoutes,
  memorySearchRoutes,
  recallRoutes,
  openLoopRoutes,
  snapshotRoutes
]
