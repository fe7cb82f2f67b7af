import type { FastifyReply, FastifyRequest } from "fastify"
import * as z from "zod"
import { INTERNAL } from "#src/http/server/reference/internalSurface.ts"
import { oncePerKey } from "#src/http/server/reference/oncePerKey.ts"
import { prepareReference } from "#src/http/server/reference/prepareReference.ts"
import { type PublicContent, REVISED_SECONDS, sendPublic } from "#src/http/server/reference/publicContent.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

/** The page runs its own inline script. It contains nothing from us or from tenants. */
const POLICY =
  "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; " +
  "font-src 'self' data:; img-src 'self' data:; worker-src 'self' blob:; frame-ancestors 'none'"

const SCRIPT_SECONDS = 86_400

/** The API explorer: the OpenAPI document as a page on which requests can be tried. */
export const explorerRoutes: Routes = ({ app }) => {
  const once = oncePerKey<PublicContent>()
  const show = (path: string, maxAgeSeconds: number) => async (request: FastifyRequest, reply: FastifyReply) => {
    const content = await once(path, () => prepareReference("explorer", { path, maxAgeSeconds }))
    return sendPublic(request, reply.header("content-security-policy", POLICY), content)
  }
  const schema = (operationId: string, summary: string, type: string) => ({
    operationId,
    summary,
    ...INTERNAL,
    response: answersAs(type, z.string())
  })
  const page = "/docs/explorer/"
  app.get(
    page,
    { config: { auth: "none" }, schema: schema("readExplorer", "The API explorer", "text/html") },
    show(page, REVISED_SECONDS)
  )
  const script = "/docs/explorer/js/scalar.js"
  app.get(
    script,
    {
      config: { auth: "none" },
      schema: schema("readExplorerScript", "The script of the API explorer", "text/javascript")
    },
    show(script, SCRIPT_SECONDS)
  )
}
