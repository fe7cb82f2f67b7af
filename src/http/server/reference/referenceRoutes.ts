import fastify, { type FastifyReply, type FastifyRequest } from "fastify"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { Sandboxes } from "#src/db/privacy/Sandboxes.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { llmsText } from "./llms.txt.ts"
import { INTERNAL, PAGE } from "./internalSurface.ts"
import { preparePublic, type PublicContent, sendPublic } from "./publicContent.ts"
import { publicAnswers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

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

const SCRIPT_PATH = "/docs/js/scalar.js"
/** For how long a copy may be shown without asking: a new release changes what it says. */
const REVISED_SECONDS = 300
const SCRIPT_SECONDS = 86_400

const DOCS_SCHEMA = { operationId: "readDocs", summary: "This document for people", tags: ["Reference"], security: [], response: publicAnswers("text/html", z.string(), 429) }

const available = Effect.fnUntraced(function*(baseUrl: string) {
  const [{ isOpen }, { kind }, { secret }] = [yield* Sandboxes, yield* IdentityProvider, yield* Manager]
  return { sandbox: isOpen, signIn: kind(baseUrl) !== null, managedBots: secret !== null }
})

export const referenceRoutes: Routes = ({ app, baseUrl, openApi, run }) => {
  let document: Promise<PublicContent> | null = null
  let told: { readonly text: string; readonly content: Promise<PublicContent> } | null = null

  app.get("/openapi.json", {
    config: { public: true },
    schema: {
      operationId: "readOpenApi",
      summary: "This document",
      tags: ["Reference"],
      security: [],
      response: publicAnswers("application/json", z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }), 429)
    }
  }, async (request, reply) => {
    document ??= openApi().then((json) => preparePublic("application/json; charset=utf-8", json, REVISED_SECONDS))
    return sendPublic(request, reply, await document)
  })

  app.get("/v1/llms.txt", {
    config: { public: true },
    schema: {
      operationId: "readLlmsText",
      summary: "How to set up and use this server, as text for agents",
      tags: ["Reference"],
      security: [],
      response: publicAnswers("text/plain", z.string(), 429)
    }
  }, async (request, reply) => {
    // It changes with what the server offers, and with its address, which may be known only once it listens.
    const text = llmsText(baseUrl(), await run(reply, available(baseUrl())))
    if (told?.text !== text) told = { text, content: preparePublic("text/plain; charset=utf-8", text, REVISED_SECONDS) }
    return sendPublic(request, reply, await told.content)
  })

  const docs = new Map<string, Promise<PublicContent>>()
  let opened: ReturnType<typeof openDocs> | null = null
  const prepareDocs = async (path: string, maxAgeSeconds: number) => {
    const { headers, rawPayload } = await (await (opened ??= openDocs())).inject({ url: path })
    return preparePublic(String(headers["content-type"]), rawPayload, maxAgeSeconds)
  }
  const showDocs = (path: string, maxAgeSeconds: number) => async (request: FastifyRequest, reply: FastifyReply) => {
    const content = docs.get(path) ?? prepareDocs(path, maxAgeSeconds)
    docs.set(path, content)
    // The page runs its own inline script; nothing of ours or a tenant's is on it.
    return sendPublic(request, reply.header("content-security-policy", DOCS_POLICY), await content)
  }
  const script = { operationId: "readDocsScript", summary: "The script of /docs", ...INTERNAL, response: publicAnswers("text/javascript", z.string(), 429) }
  const way = { operationId: "findDocs", summary: "The way to /docs/", ...INTERNAL, response: PAGE }
  app.get("/docs", { config: { public: true }, schema: way }, async (_, reply) => reply.redirect("/docs/", 302))
  app.get("/docs/", { config: { public: true }, schema: DOCS_SCHEMA }, showDocs("/docs/", REVISED_SECONDS))
  app.get(SCRIPT_PATH, { config: { public: true }, schema: script }, showDocs(SCRIPT_PATH, SCRIPT_SECONDS))
}
