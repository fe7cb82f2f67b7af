import type { FastifyReply, FastifyRequest } from "fastify"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { Sandboxes } from "#src/db/privacy/Sandboxes.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { llmsText } from "./llms.txt.ts"
import { INTERNAL, PAGE } from "./internalSurface.ts"
import { prepareReference } from "./prepareReference.ts"
import { preparePublic, type PublicContent, REVISED_SECONDS, sendPublic } from "./publicContent.ts"
import { publicAnswers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

const DOCS_POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "font-src 'self' data:; img-src 'self' data:; worker-src 'self' blob:; frame-ancestors 'none'"

const SCRIPT_PATH = "/docs/js/scalar.js"
const SCRIPT_SECONDS = 86_400

const docsSchema = () => ({
  operationId: "readDocs",
  summary: "This document for people",
  tags: ["Reference"],
  response: publicAnswers("text/html", z.string())
})

const available = Effect.fnUntraced(function* (baseUrl: string) {
  const [{ isOpen }, { kind }, { secret }] = [yield* Sandboxes, yield* IdentityProvider, yield* Manager]
  return { sandbox: isOpen, signIn: kind(baseUrl) !== null, managedBots: secret !== null }
})

/** `routesModule`: the URL of the module with the routes that the OpenAPI document describes. */
export const referenceRoutes =
  (routesModule: string): Routes =>
  ({ app, baseUrl, run }) => {
    const prepared = new Map<string, Promise<PublicContent>>()
    /** Runs once, and again after a failure. */
    const once = (path: string, prepare: () => Promise<PublicContent>): Promise<PublicContent> => {
      const content =
        prepared.get(path) ??
        prepare().catch((thrown: unknown) => {
          prepared.delete(path)
          throw thrown
        })
      prepared.set(path, content)
      return content
    }
    let told: { readonly text: string; readonly content: Promise<PublicContent> } | null = null

    app.get(
      "/openapi.json",
      {
        config: { auth: "none" },
        schema: {
          operationId: "readOpenApi",
          summary: "This document",
          tags: ["Reference"],
          response: publicAnswers("application/json", z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }))
        }
      },
      async (request, reply) =>
        sendPublic(request, reply, await once("/openapi.json", () => prepareReference("openApi", { routesModule })))
    )

    app.get(
      "/v1/llms.txt",
      {
        config: { auth: "none" },
        schema: {
          operationId: "readLlmsText",
          summary: "How to set up and use this server, as text for agents",
          tags: ["Reference"],
          response: publicAnswers("text/plain", z.string())
        }
      },
      async (request, reply) => {
        // It depends on the server's features and address, which may be known only once it listens.
        const text = llmsText(baseUrl(), await run(reply, available(baseUrl())))
        if (told?.text !== text)
          told = { text, content: preparePublic("text/plain; charset=utf-8", text, REVISED_SECONDS) }
        return sendPublic(request, reply, await told.content)
      }
    )

    const showDocs = (path: string, maxAgeSeconds: number) => async (request: FastifyRequest, reply: FastifyReply) => {
      const content = await once(path, () => prepareReference("docs", { path, maxAgeSeconds }))
      // The page runs its own inline script. It contains nothing from us or from tenants.
      return sendPublic(request, reply.header("content-security-policy", DOCS_POLICY), content)
    }
    const script = {
      operationId: "readDocsScript",
      summary: "The script of /docs",
      ...INTERNAL,
      response: publicAnswers("text/javascript", z.string())
    }
    const way = { operationId: "findDocs", summary: "The way to /docs/", ...INTERNAL, response: PAGE }
    app.get("/docs", { config: { auth: "none" }, schema: way }, async (_, reply) => reply.redirect("/docs/", 302))
    app.get("/docs/", { config: { auth: "none" }, schema: docsSchema() }, showDocs("/docs/", REVISED_SECONDS))
    app.get(SCRIPT_PATH, { config: { auth: "none" }, schema: script }, showDocs(SCRIPT_PATH, SCRIPT_SECONDS))
  }
