import type { Routes } from "#src/http/server/Server.ts"
import { mcpRoutes } from "./mcpRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [mcpRoutes]
