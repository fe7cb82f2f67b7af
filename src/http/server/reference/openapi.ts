import swagger from "@fastify/swagger"
import * as Effect from "effect/Effect"
import fastify, { type FastifyContextConfig, type RouteOptions } from "fastify"
import { createJsonSchemaTransform, type ZodTypeProvider } from "fastify-type-provider-zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { VERSION } from "#pipeline/domain/version.ts"
import { errorList } from "#src/http/server/errorTexts.ts"
import type { Routes } from "#src/http/server/Server.ts"

/** The input for the document. */
export interface Described {
  readonly routes: ReadonlyArray<Routes>
  readonly webhooks: { readonly event: object }
  readonly channelKinds: ReadonlyArray<ChannelKind>
}

const tags = [
  { name: "App", description: "The app that a key belongs to" },
  { name: "Characters", description: "Who speaks" },
  {
    name: "World",
    description:
      "What a character lives among: who it knows, what holds between whom, its lore, its stories and what weighs on it"
  },
  { name: "Research", description: "What sources say of a character, and what is found in them" },
  { name: "Sessions", description: "Persistent threads between one person and one character" },
  { name: "Messages", description: "What the person says" },
  { name: "Events", description: "The ordered log of a session: everything that was said and happened" },
  {
    name: "Relationship",
    description: "What a character has come to know of a person, with the words that bear it out, and how the two stand"
  },
  { name: "End-users", description: "The people who talk to characters, by the app's own references" },
  { name: "Channels", description: "Where events are pushed to, and what became of each on its way" },
  { name: "Observability", description: "What turns took, cost and decided" },
  {
    name: "Account",
    description: "Apps and their runtime keys, with an account token instead of a key",
    "x-scalar-ignore": true
  },
  { name: "Reference", description: "About this server" },
  {
    name: "Internal",
    description:
      "For browsers, Telegram and whoever shows a picture: nothing that a client calls by itself, and no part " +
      "of what is supported",
    "x-scalar-ignore": true
  }
]

/** A server that does not listen and handles no requests, which is sufficient for a description. */
const open = () =>
  fastify()
    .setValidatorCompiler(() => () => true)
    .setSerializerCompiler(() => JSON.stringify)
const neverAsked = () => Promise.reject(new Error("this server listens nowhere"))

const registeredRoutes = async ({
  routes,
  channelKinds
}: Omit<Described, "webhooks">): Promise<ReadonlyArray<RouteOptions>> => {
  const app = open().withTypeProvider<ZodTypeProvider>()
  const found: Array<RouteOptions> = []
  // Keeps the objects themselves, because a later hook may add a schema.
  app.addHook("onRoute", (route) => {
    if (route.method !== "HEAD") found.push(route)
  })
  for (const register of routes) {
    register({ app, baseUrl: () => "", channelKinds, stopping: Effect.never, answer: neverAsked, run: neverAsked })
  }
  await app.ready()
  return found
}

/** By the credential that the route takes; nothing where it is a runtime key, as the document says of all. */
const securityOf = ({ auth = "app" }: FastifyContextConfig) => {
  if (auth === "app") return {}
  return { security: auth === "none" ? [] : [{ accountToken: [] }] }
}

/**
 * The OpenAPI document of all routes, as JSON. It takes about a second of CPU, so do not call it on the thread that
 * serves requests.
 */
export const describeServer = async ({ routes, webhooks, channelKinds }: Described): Promise<string> => {
  // Fields are added over time (contract 9.3), so our schemas do not forbid unknown fields.
  const transform = createJsonSchemaTransform({
    zodToJsonConfig: {
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      }
    }
  })
  const described = open()
  await described.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Troupe",
        version: VERSION,
        description: [
          "A messenger-delivery-centric gateway for AI characters. A send is acknowledged with a cursor; the " +
            "reply comes later on the session's event log.",
          "How to set up an account, by the device flow, and to get apps and runtime keys with it, is in " +
            "[llms.txt](/v1/llms.txt).",
          "## Rate limits",
          "Answers under a key say how its app stands, in the header fields of the IETF draft: " +
            '`RateLimit-Policy: "requests";q=12000;w=60` is what it may ask in how many seconds, `RateLimit: ' +
            '"requests";r=11996;t=42` what is left of it and for how long; a send says so of `"messages"` too. ' +
            "Beyond it is " +
            "429 `rate_limited`, with `Retry-After`.",
          "## Errors",
          'An error is `{"detail": {"code", "message", "fix", "request_id"}}`, or a plain-string `detail` with ' +
            "a generic 401 or 403 (no retry) and with a 503 (retry). Try again only where it says retry, after " +
            "`Retry-After` or with backoff. Other codes may come.",
          errorList()
        ].join("\n\n"),
        license: { name: "MIT", identifier: "MIT" }
      },
      servers: [{ url: "/", description: "This server" }],
      tags,
      components: {
        securitySchemes: {
          runtimeKey: { type: "http", scheme: "bearer", description: "A runtime key, ck_..." },
          accountToken: {
            type: "http",
            scheme: "bearer",
            description: "An account token, lat_..., for /v1/account only"
          }
        }
      },
      security: [{ runtimeKey: [] }],
      webhooks
    },
    transform
  })
  // OpenAPI has no wildcards, so the rest of a path is a parameter.
  for (const { method, url, schema, config = {} } of await registeredRoutes({ routes, channelKinds })) {
    described.route({
      method,
      url: url.replace(/\*$/, ":rest"),
      ...(schema !== undefined && { schema: { ...schema, ...securityOf(config as FastifyContextConfig) } }),
      handler: () => {}
    })
  }
  await described.ready()
  return JSON.stringify(described.swagger())
}
