import type { FastifyReply, FastifyRequest } from "fastify"
import * as z from "zod"
import { routeNotFound } from "#src/http/server/errors.ts"
import { errorList } from "#src/http/server/errorTexts.ts"
import { INTERNAL, PAGE } from "#src/http/server/reference/internalSurface.ts"
import { oncePerKey } from "#src/http/server/reference/oncePerKey.ts"
import {
  preparePublic,
  type PublicContent,
  REVISED_SECONDS,
  sendPublic
} from "#src/http/server/reference/publicContent.ts"
import { runOnThread } from "#src/http/server/reference/runOnThread.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ASSETS } from "./assets.ts"
import type { Documents } from "./docsThread.ts"
import { DOCS_POLICY } from "./layout.ts"

const THREAD = new URL("./docsThread.ts", import.meta.url)
const ASSET_SECONDS = 31_536_000

/** The guides and the reference as pages. `openApi`: the OpenAPI document, prepared at its first use. */
export const docsRoutes =
  (openApi: () => Promise<PublicContent>): Routes =>
  ({ app }) => {
    const rendered = oncePerKey<Documents>()
    const prepared = oncePerKey<PublicContent>()
    const guides = () => rendered("guides", () => runOnThread(THREAD, "guides", undefined))
    const reference = () =>
      rendered("reference", async () =>
        runOnThread(THREAD, "reference", { openApi: (await openApi()).encodings.identity, errors: errorList() })
      )
    const documentsFor = async (path: string) => {
      if (path.startsWith("/docs/reference") || path === "/docs/search.json") return reference()
      const rendered = await guides()
      // Takes seconds, and a reader of the guides soon opens the reference or searches.
      reference().catch(() => {})
      return rendered
    }
    /** Compressed once, at its first use. Undefined: there is no such document. */
    const find = async (path: string) => {
      const document = (await documentsFor(path)).get(path)
      return document && (await prepared(path, () => preparePublic(document.type, document.text, REVISED_SECONDS)))
    }
    const send = (request: FastifyRequest, reply: FastifyReply, content: PublicContent) =>
      sendPublic(request, reply.header("content-security-policy", DOCS_POLICY), content)

    const show = async (request: FastifyRequest, reply: FastifyReply) => {
      const [path = ""] = request.url.split("?", 1)
      const asset = ASSETS.get(path)
      if (asset !== undefined) {
        const content = await prepared(path, () => preparePublic(asset.type, asset.text, ASSET_SECONDS))
        return send(request, reply, content)
      }
      const found = await find(path)
      if (found !== undefined) return send(request, reply, found)
      if (request.headers.accept?.includes("text/html") !== true) throw routeNotFound
      const missing = await find("missing")
      if (missing === undefined) throw routeNotFound
      return send(request, reply.code(404), missing)
    }

    const part = z.string().describe("A part of the address of the page, such as `build` or `events.md`")
    const page = (operationId: string, summary: string) => ({
      operationId,
      summary,
      ...INTERNAL,
      response: answersAs("text/html", z.string(), "route_not_found")
    })
    app.get(
      "/docs",
      {
        config: { auth: "none" },
        schema: { operationId: "findDocs", summary: "The way to /docs/", ...INTERNAL, response: PAGE }
      },
      async (_, reply) => reply.redirect("/docs/", 302)
    )
    app.get(
      "/docs/",
      {
        config: { auth: "none" },
        schema: {
          operationId: "readDocs",
          summary: "The guides and the reference, for people",
          tags: ["Reference"],
          response: answersAs("text/html", z.string())
        }
      },
      show
    )
    app.get(
      "/docs/:page",
      {
        config: { auth: "none" },
        schema: { ...page("readDocsPage", "A page of the docs"), params: z.object({ page: part }) }
      },
      show
    )
    app.get(
      "/docs/:section/:page",
      {
        config: { auth: "none" },
        schema: {
          ...page("readDocsSectionPage", "A page of a section of the docs"),
          params: z.object({ section: part, page: part })
        }
      },
      show
    )
    app.get(
      "/llms-full.txt",
      {
        config: { auth: "none" },
        schema: {
          operationId: "readLlmsFullText",
          summary: "All guides as one Markdown file, for agents",
          tags: ["Reference"],
          response: answersAs("text/plain", z.string())
        }
      },
      show
    )
  }
