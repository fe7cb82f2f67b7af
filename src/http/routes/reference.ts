import fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import * as z from "zod"
import { llmsText } from "../llms.txt.ts"
import { publicAnswers } from "../schemas/answers.ts"
import type { Routes } from "../Server.ts"

const DOCS_POLICY = "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; worker-src 'self' blob:; frame-ancestors 'none'"

/** Without what would call services of Scalar's: the page speaks to this server only. */
const DOCS = {
  url: "/openapi.json", title: "Troupe", withDefaultFonts: false, telemetry: false,
  agent: { disabled: true }, mcp: { disabled: true }, hideClientButton: true, showDeveloperTools: "never"
} as const

/** The library of these pages is large, and few ask for them: it is loaded for the first who does, into a server that listens nowhere. */
const openDocs = async () => {
  const { default: apiReference } = await import("@scalar/fastify-api-reference")
  const docs = fastify()
  await docs.register(apiReference, { routePrefix: "/docs", configuration: DOCS })
  return docs
}

const HIDDEN = { config: { public: true }, schema: { hide: true } }

const DOCS_SCHEMA = { operationId: "readDocs", summary: "This document for people", tags: ["Reference"], security: [], response: publicAnswers("text/html", z.string()) }

export const referenceRoutes: Routes = ({ app, baseUrl, openApi }) => {
  app.get("/openapi.json", {
    config: { public: true },
    schema: {
      operationId: "readOpenApi",
      summary: "This document",
      tags: ["Reference"],
      security: [],
      response: publicAnswers("application/json", z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }))
    }
  }, async (_, reply) => {
    void reply.header("content-type", "application/json; charset=utf-8")
    return openApi()
  })

  app.get("/v1/llms.txt", {
    config: { public: true },
    schema: {
      operationId: "readLlmsText",
      summary: "How to set up and use this server, as text for agents",
      tags: ["Reference"],
      security: [],
      response: publicAnswers("text/plain", z.string())
    }
  }, async (_, reply) => {
    void reply.header("content-type", "text/plain; charset=utf-8")
    return llmsText(baseUrl())
  })

  let docs: ReturnType<typeof openDocs> | null = null
  const showDocs = async (request: FastifyRequest, reply: FastifyReply) => {
    docs ??= openDocs()
    const { statusCode, headers, rawPayload } = await (await docs).inject({ url: request.url })
    for (const name of ["content-type", "location"] as const) if (headers[name] !== undefined) void reply.header(name, headers[name])
    // The page runs its own inline script; nothing of ours or a tenant's is on it.
    return reply.code(statusCode).header("content-security-policy", DOCS_POLICY).send(rawPayload)
  }
  app.get("/docs", HIDDEN, showDocs)
  app.get("/docs/", { config: { public: true }, schema: DOCS_SCHEMA }, showDocs)
  app.get("/docs/js/scalar.js", HIDDEN, showDocs)
}
