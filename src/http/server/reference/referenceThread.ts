import type { Described } from "./openapi.ts"
import { preparePublic, REVISED_SECONDS } from "./publicContent.ts"

/** Without what would call services of Scalar's: the page speaks to this server only. */
const DOCS = {
  url: "/openapi.json",
  title: "Troupe",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never"
} as const

// The functions that src/http/server/reference/prepareReference.ts calls by name, on a thread of its own.

// Each loads what it needs itself: a thread runs one of them, and what describes the routes loads the whole server.

/** `routesModule`: the URL of the module that exports `routes`, `webhooks` and `channelKinds`. */
export const openApi = async ({ routesModule }: { readonly routesModule: string }) => {
  const [{ describeServer }, described] = await Promise.all([
    import("./openapi.ts"),
    import(routesModule) as Promise<Described>
  ])
  return preparePublic("application/json; charset=utf-8", await describeServer(described), REVISED_SECONDS)
}

/** What the library of these pages shows at a path: it is asked in a server that listens nowhere. */
export const docs = async ({ path, maxAgeSeconds }: { readonly path: string; readonly maxAgeSeconds: number }) => {
  const [{ default: fastify }, { default: apiReference }] = await Promise.all([
    import("fastify"),
    import("@scalar/fastify-api-reference")
  ])
  const app = fastify()
  await app.register(apiReference, { routePrefix: "/docs", configuration: DOCS })
  const { headers, rawPayload } = await app.inject({ url: path })
  return preparePublic(String(headers["content-type"]), rawPayload, maxAgeSeconds)
}
