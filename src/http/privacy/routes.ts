import type { Routes } from "#src/http/server/Server.ts"
import { endUserRoutes } from "./endUserRoutes.ts"
import { exportRoutes } from "./exportRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [endUserRoutes, exportRoutes]
