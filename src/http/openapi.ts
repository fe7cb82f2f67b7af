import swagger from "@fastify/swagger"
import { jsonSchemaTransform } from "fastify-type-provider-zod"
import type { App } from "./Server.ts"

/** Collects the routes' schemas into the OpenAPI document. Register it before the routes. */
export const describeServer = async (app: App) => {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Troupe",
        version: "0.1.0",
        description: "A messenger-delivery-centric gateway for AI characters. A send is acknowledged with a cursor; the reply comes later on the session's event log.",
        license: { name: "MIT", identifier: "MIT" }
      },
      servers: [{ url: "/", description: "This server" }],
      tags: ["App", "Characters", "Sessions", "Messages", "Events", "Observability"].map((name) => ({ name })),
      components: { securitySchemes: { runtimeKey: { type: "http", scheme: "bearer", description: "A runtime key, ck_..." } } },
      security: [{ runtimeKey: [] }]
    },
    transform: jsonSchemaTransform
  })
}
