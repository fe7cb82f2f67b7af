import { eventPush } from "#src/http/delivery/eventPush.ts"
import type { Described } from "#src/http/server/reference/openapi.ts"
import { preparedOpenApi } from "#src/http/server/reference/preparedOpenApi.ts"
import { referenceRoutes } from "#src/http/server/reference/referenceRoutes.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { routes as billing } from "#src/http/billing/routes.ts"
import { routes as character } from "#src/http/character/routes.ts"
import { routes as console } from "#src/http/console/routes.ts"
import { routes as conversation } from "#src/http/conversation/routes.ts"
import { routes as delivery } from "#src/http/delivery/routes.ts"
import { routes as docs } from "#src/http/docs/routes.ts"
import { routes as evals } from "#src/http/evals/routes.ts"
import { routes as imports } from "#src/http/imports/routes.ts"
import { routes as mcp } from "#src/http/mcp/routes.ts"
import { routes as memory } from "#src/http/memory/routes.ts"
import { routes as operators } from "#src/http/operators/routes.ts"
import { routes as privacy } from "#src/http/privacy/routes.ts"
import { routes as proactive } from "#src/http/proactive/routes.ts"
import { routes as research } from "#src/http/research/routes.ts"
import { routes as server } from "#src/http/server/routes.ts"
import { routes as telegram } from "#src/http/telegram/routes.ts"
import { routes as tenancy } from "#src/http/tenancy/routes.ts"
import { routes as world } from "#src/http/world/routes.ts"
import { CHANNEL_KINDS } from "./pushKinds.ts"

/** Webhooks for the OpenAPI document. */
export const webhooks: Described["webhooks"] = { event: eventPush }

/** The kinds of channel that the routes know, for the OpenAPI document. */
export const channelKinds: Described["channelKinds"] = CHANNEL_KINDS

const openApi = preparedOpenApi(import.meta.url)

/** All routes of the server. */
export const routes: ReadonlyArray<Routes> = [
  referenceRoutes(openApi),
  ...docs(openApi),
  ...mcp,
  ...server,
  ...character,
  ...imports,
  ...world,
  ...research,
  ...conversation,
  ...memory,
  ...proactive,
  ...delivery,
  ...telegram,
  ...evals,
  ...privacy,
  ...billing,
  ...operators,
  ...console,
  ...tenancy
]
