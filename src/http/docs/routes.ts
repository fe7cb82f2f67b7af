import type { PublicContent } from "#src/http/server/reference/publicContent.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { docsRoutes } from "./docsRoutes.ts"
import { explorerRoutes } from "./explorerRoutes.ts"
import { llmsRoutes } from "./llmsRoutes.ts"

/** The routes of this domain. `openApi`: the OpenAPI document, prepared at its first use. */
export const routes = (openApi: () => Promise<PublicContent>): ReadonlyArray<Routes> => [
  docsRoutes(openApi),
  explorerRoutes,
  llmsRoutes
]
