import type { Described } from "./openapi.ts"
import { preparePublic, REVISED_SECONDS } from "./publicContent.ts"

/** Disables features that call Scalar's services: the page only talks to this server. */
const EXPLORER = {
  url: "/openapi.json",
  title: "Troupe",
  pageTitle: "Troupe API",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never"
} as const

// The functions that src/http/server/reference/prepareReference.ts calls by name on a separate thread.

// Each function loads its own dependencies: a thread runs only one of them, and describing the routes loads the whole
// server.

/** `routesModule`: the URL of the module that exports `routes`, `webhooks` and `channelKinds`. */
export const openApi = async ({ routesModule }: { readonly routesModule: string }) => {
  const [{ describeServer }, described] = await Promise.all([
    import("./openapi.ts"),
    import(routesModule) as Promise<Described>
  ])
  return preparePublic("application/json; charset=utf-8", await describeServer(described), REVISED_SECONDS)
}

/** The file that the library serves at a path below /docs/explorer, requested from a server that does not listen. */
export const explorer = async ({ path, maxAgeSeconds }: { readonly path: string; readonly maxAgeSeconds: number }) => {
  const [{ default: fastify }, { default: apiReference }] = await Promise.all([
    import("fastify"),
    import("@scalar/fastify-api-reference")
  ])
  const app = fastify()
  await app.register(apiReference, { routePrefix: "/docs/explorer", configuration: EXPLORER })
  const { headers, rawPayload } = await app.inject({ url: path })
  return preparePublic(String(headers["content-type"]), rawPayload, maxAgeSeconds)
}
