import fastify, { type RouteOptions } from "fastify"
import { VERSION } from "#pipeline/domain/version.ts"
import { errorList } from "#src/http/server/errorTexts.ts"
import { eventPush } from "#src/http/delivery/eventPush.ts"
import type { App } from "#src/http/server/Server.ts"

const tags = [
  { name: "App", description: "The app that a key belongs to" },
  { name: "Characters", description: "Who speaks" },
  { name: "World", description: "What a character lives among: who it knows, what holds between whom, its lore, its stories and what weighs on it" },
  { name: "Research", description: "What sources say of a character, and what is found in them" },
  { name: "Sessions", description: "Persistent threads between one person and one character" },
  { name: "Messages", description: "What the person says" },
  { name: "Events", description: "The ordered log of a session: everything that was said and happened" },
  { name: "Relationship", description: "What a character has come to know of a person, with the words that bear it out, and how the two stand" },
  { name: "End-users", description: "The people who talk to characters, by the app's own references" },
  { name: "Channels", description: "Where events are pushed to, and what became of each on its way" },
  { name: "Observability", description: "What turns took, cost and decided" },
  { name: "Account", description: "Apps and their runtime keys, with an account token instead of a key", "x-scalar-ignore": true },
  { name: "Reference", description: "About this server" },
  { name: "Internal", description: "For browsers, Telegram and whoever shows a picture: nothing that a client calls by itself, and no part of what is supported", "x-scalar-ignore": true }
]

/**
 * Notes the routes that are hung on a server, and makes the OpenAPI document of them when it is first asked for: in a server that listens nowhere,
 * since what makes it takes a while to load, and few ask. Call it before the routes are hung.
 */
export const describeServer = (app: App): () => Promise<string> => {
  const routes: Array<RouteOptions> = []
  // As they are, since hooks that run later may yet give one a schema.
  app.addHook("onRoute", (route) => {
    if (route.method !== "HEAD") routes.push(route)
  })
  const describe = async () => {
    const [{ default: swagger }, { createJsonSchemaTransform }] = await Promise.all([import("@fastify/swagger"), import("fastify-type-provider-zod")])
    // Fields are added over time (contract 9.3), so no schema of ours forbids those it does not know.
    const transform = createJsonSchemaTransform({
      zodToJsonConfig: {
        override: ({ jsonSchema }) => {
          if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
        }
      }
    })
    const described = fastify()
    await described.register(swagger, {
      openapi: {
        openapi: "3.1.0",
        info: {
          title: "Troupe",
          version: VERSION,
          description: [
            "A messenger-delivery-centric gateway for AI characters. A send is acknowledged with a cursor; the reply comes later on the session's event log.",
            "How to set up an account, by the device flow, and to get apps and runtime keys with it, is in [llms.txt](/v1/llms.txt).",
            "## Rate limits",
            "Answers under a key say how its app stands, in the header fields of the IETF draft: `RateLimit-Policy: \"requests\";q=12000;w=60` is what it may ask in how many seconds, `RateLimit: \"requests\";r=11996;t=42` what is left of it and for how long; a send says so of `\"messages\"` too. Beyond it is 429 `rate_limited`, with `Retry-After`.",
            "## Errors",
            "An error is `{\"detail\": {\"code\", \"message\", \"fix\", \"request_id\"}}`, or a plain-string `detail` with a generic 401 or 403 (no retry) and with a 503 (retry). Try again only where it says retry, after `Retry-After` or with backoff. Other codes may come.",
            errorList()
          ].join("\n\n"),
          license: { name: "MIT", identifier: "MIT" }
        },
        servers: [{ url: "/", description: "This server" }],
        tags,
        components: { securitySchemes: { runtimeKey: { type: "http", scheme: "bearer", description: "A runtime key, ck_..." }, accountToken: { type: "http", scheme: "bearer", description: "An account token, lat_..., for /v1/account only" } } },
        security: [{ runtimeKey: [] }],
        webhooks: { event: eventPush }
      },
      transform
    })
    // OpenAPI has no wildcards: the rest of a path is a parameter.
    for (const { method, url, schema } of routes) described.route({ method, url: url.replace(/\*$/, ":rest"), ...(schema !== undefined && { schema }), handler: () => {} })
    described.setValidatorCompiler(() => () => true)
    described.setSerializerCompiler(() => JSON.stringify)
    await described.ready()
    return JSON.stringify(described.swagger())
  }
  let document: Promise<string> | null = null
  return () => document ??= describe()
}
