import * as z from "zod"
import { html, page, PAGE_POLICY } from "./page.ts"
import { INTERNAL } from "./reference/internalSurface.ts"
import { type Answers, answersAs } from "./schemas/answers.ts"
import type { Routes } from "./Server.ts"

const ICON_SECONDS = 86_400

const LINKS = { docs: "/docs/", console: "/console", openapi: "/openapi.json", llms: "/v1/llms.txt" } as const

const START = page(
  "AI characters for apps",
  html`<p>This server hosts AI characters that talk with the users of apps.</p>
    <a class="act" href="${LINKS.docs}">Read the docs</a>
    <a class="act quiet" href="${LINKS.console}">Open the console</a>
    <p class="soft">
      For programs: <a href="${LINKS.openapi}">OpenAPI</a>, <a href="${LINKS.llms}">instructions for agents</a>
    </p>`
)

const ICON =
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1f5fd6"/>` +
  `<path d="M7 9h18v4h-7v12h-4V13H7z" fill="#fff"/></svg>`

const ANSWERS: Answers = {
  200: {
    description: "Success",
    content: {
      "text/html": { schema: z.string() },
      "application/json": {
        schema: z.object({
          name: z.string(),
          docs: z.string(),
          console: z.string(),
          openapi: z.string(),
          llms: z.string()
        })
      }
    }
  }
}

/** What a person finds at the address of the server, and what their browser asks for. */
export const startRoutes: Routes = ({ app }) => {
  app.get(
    "/",
    {
      config: { auth: "none", cost: { requests: 0 } },
      schema: {
        operationId: "readStart",
        summary: "What this server is, as a page for browsers or as links for programs",
        ...INTERNAL,
        response: ANSWERS
      }
    },
    (request, reply) => {
      void reply.header("vary", "accept").header("cache-control", "no-cache")
      return request.headers.accept?.includes("text/html") === true
        ? reply
            .header("content-type", "text/html; charset=utf-8")
            .header("content-security-policy", PAGE_POLICY)
            .send(START)
        : reply
            .header("content-type", "application/json; charset=utf-8")
            .send(JSON.stringify({ name: "troupe", ...LINKS }))
    }
  )

  app.get(
    "/favicon.ico",
    {
      config: { auth: "none", cost: { requests: 0 } },
      schema: {
        operationId: "readIcon",
        summary: "The icon that browsers ask for",
        ...INTERNAL,
        response: answersAs("image/svg+xml", z.string())
      }
    },
    (_, reply) =>
      reply
        .header("content-type", "image/svg+xml")
        .header("cache-control", `public, max-age=${ICON_SECONDS}`)
        .send(ICON)
  )
}
