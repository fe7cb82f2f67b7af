import swagger from "@fastify/swagger"
import * as Effect from "effect/Effect"
import fastify, { type FastifyContextConfig, type FastifySchema, type RouteOptions } from "fastify"
import { createJsonSchemaTransform, type ZodTypeProvider } from "fastify-type-provider-zod"
import type { ChannelKind } from "#channels/ChannelKind.ts"
import { VERSION } from "#pipeline/domain/version.ts"
import { matchCredential } from "#src/http/server/Credential.ts"
import type { Cost } from "#src/http/server/limits/Cost.ts"
import { assemble } from "./assemble.ts"
import type { Json } from "./components.ts"
import { describeCost } from "./describeCost.ts"
import { type DescribedRoute, errorsOf } from "./errorCodes.ts"
import { errorResponses } from "./errorResponses.ts"
import { schemaNames } from "./schemaNames.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { tags } from "./tags.ts"

/** The input for the document. */
export interface Described {
  readonly routes: ReadonlyArray<Routes>
  readonly webhooks: { readonly event: object }
  readonly channelKinds: ReadonlyArray<ChannelKind>
}

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

interface RouteSchema extends FastifySchema {
  readonly description?: string
}

/** What follows from the credential that a route takes. Runtime keys are what the document says of all routes. */
const ofCredential = ({ auth, streamToken }: FastifyContextConfig) =>
  matchCredential<object>(auth, {
    app: () => (streamToken === true ? { security: [{ runtimeKey: [] }, { streamToken: [] }] } : {}),
    account: () => ({ security: [{ accountToken: [] }] }),
    // The least role, as OpenAPI 3.1 allows for every kind of scheme.
    operator: (role) => ({
      tags: ["Operator"],
      security: [{ operatorToken: [role] }, { operatorSession: [role] }]
    }),
    none: () => ({ security: [] })
  })

/** What follows from the cost that a route declares. */
const ofCost = (cost: Cost, { description }: RouteSchema) => {
  const text = [description, describeCost(cost)].filter(Boolean).join("\n\n")
  return {
    ...(text !== "" && { description: text }),
    ...(Object.keys(cost).length > 0 && { "x-cost": cost })
  }
}

/**
 * The OpenAPI document of all routes, as JSON. It takes about a second of CPU, so do not call it on the thread that
 * serves requests.
 */
export const describeServer = async ({ routes, webhooks, channelKinds }: Described): Promise<string> => {
  const names = await schemaNames()
  const transform = createJsonSchemaTransform({
    zodToJsonConfig: {
      override: ({ zodSchema, jsonSchema }) => {
        // Fields are added over time (contract 9.3), so our schemas do not forbid unknown fields.
        if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
        const name = names.get(zodSchema)
        if (name !== undefined) jsonSchema.title ??= name
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
          "A gateway for AI characters that talk as in a messenger. A send is acknowledged with a cursor. The " +
            "reply arrives later, on the session's event log.",
          "[llms.txt](/v1/llms.txt) explains how to set up an account with the device flow, and how to create apps " +
            "and runtime keys with it.",
          "## Rate limits",
          "Responses to requests with a key report the limits of its app, in the header fields of the IETF draft. " +
            '`RateLimit-Policy: "requests";q=12000;w=60`: 12000 requests are allowed in 60 seconds. ' +
            '`RateLimit: "requests";r=11996;t=42`: 11996 of them are left for 42 seconds. A send also reports ' +
            '`"messages"`. Requests beyond a limit get 429 `rate_limited`, with `Retry-After`.',
          "## Errors",
          'An error is `{"detail": {"code", "message", "fix", "request_id"}}`, or a plain-string `detail` with ' +
            "a generic 401 or 403 (no retry) and with a 503 (retry). Retry only errors that are marked retry, after " +
            "`Retry-After` or with backoff. [Error codes](/docs/reference/error-codes) lists all of them, and what " +
            "to do about each. New codes may be added."
        ].join("\n\n"),
        license: { name: "MIT", identifier: "MIT" }
      },
      servers: [{ url: "/", description: "This server" }],
      tags: [...tags],
      components: {
        securitySchemes: {
          runtimeKey: { type: "http", scheme: "bearer", description: "A runtime key, ck_..." },
          streamToken: {
            type: "apiKey",
            in: "query",
            name: "token",
            description: "A stream token, st_..., for the events of its session only. Also accepted as a bearer"
          },
          accountToken: {
            type: "http",
            scheme: "bearer",
            description: "An account token, lat_..., for /v1/account only"
          },
          operatorToken: {
            type: "http",
            scheme: "bearer",
            description: "ADMIN_TOKEN or a token of an operator (op_...), for /admin only"
          },
          operatorSession: {
            type: "apiKey",
            in: "cookie",
            name: "troupe-operator",
            description:
              "The session of an operator. Over https its name begins with __Host-. Unsafe requests need its " +
              "CSRF token " +
              "in the header X-CSRF-Token"
          }
        }
      },
      security: [{ runtimeKey: [] }],
      webhooks
    },
    transform
  })
  // OpenAPI has no wildcards, so the rest of a path is a parameter.
  const errors = new Map<string, ReturnType<typeof errorResponses>>()
  for (const { method, url, schema = {}, config } of await registeredRoutes({ routes, channelKinds })) {
    const given = (config ?? {}) as FastifyContextConfig
    const { cost = {} } = given
    const route = {
      method: String(method),
      config: given,
      schema: schema as DescribedRoute["schema"]
    }
    const path = url.replace(/\*$/, ":rest")
    errors.set(`${String(method).toLowerCase()} ${path.replaceAll(/:(\w+)/g, "{$1}")}`, errorResponses(errorsOf(route)))
    described.route({
      method,
      url: path,
      schema: { ...schema, ...ofCost(cost, schema as RouteSchema), ...ofCredential(given) },
      handler: () => {}
    })
  }
  await described.ready()
  return JSON.stringify(assemble(described.swagger() as unknown as Json, errors))
}
