import type { Routes } from "#src/http/server/Server.ts"
import { appsScreen } from "./appsScreen.ts"
import { assetRoutes } from "./assets.ts"
import { consoleRoutes } from "./console.ts"
import { overviewScreen } from "./overview/overviewScreen.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [assetRoutes, consoleRoutes([overviewScreen, appsScreen])]
