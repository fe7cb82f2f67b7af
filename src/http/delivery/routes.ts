import type { Routes } from "#src/http/server/Server.ts"
import { channelRoutes } from "./channelRoutes.ts"
import { deliveryEventRoutes } from "./deliveryEventRoutes.ts"
import { deliveryRoutes } from "./deliveryRoutes.ts"

/** The routes of this domain. */
export const routes: ReadonlyArray<Routes> = [channelRoutes, deliveryRoutes, deliveryEventRoutes]
