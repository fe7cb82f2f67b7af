import type { Routes } from "#src/http/server/Server.ts"
import { importEndRoutes } from "./importEndRoutes.ts"
import { importRoutes } from "./importRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [importRoutes, importEndRoutes]
