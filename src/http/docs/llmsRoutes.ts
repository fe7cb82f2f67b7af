import * as Effect from "effect/Effect"
import type { FastifyReply, FastifyRequest } from "fastify"
import * as z from "zod"
import { IdentityProvider } from "#src/accounts/IdentityProvider.ts"
import { Sandboxes } from "#src/db/privacy/Sandboxes.ts"
import {
  preparePublic,
  type PublicContent,
  REVISED_SECONDS,
  sendPublic
} from "#src/http/server/reference/publicContent.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { Manager } from "#src/jobs/telegram/Manager.ts"
import { llmsText } from "./llms.txt.ts"
import { readSections } from "./pages.ts"

const available = Effect.fnUntraced(function* (baseUrl: string) {
  const [{ isOpen }, { kind }, { secret }] = [yield* Sandboxes, yield* IdentityProvider, yield* Manager]
  return { sandbox: isOpen, signIn: kind(baseUrl) !== null, managedBots: secret !== null }
})

/** What an agent reads first: how to set up and use this server, with links to the guides as Markdown. */
export const llmsRoutes: Routes = ({ app, baseUrl, run }) => {
  const sections = readSections()
  let told: { readonly text: string; readonly content: Promise<PublicContent> } | null = null
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    // It depends on the server's features and address, which may be known only once it listens.
    const text = llmsText(baseUrl(), await run(reply, available(baseUrl())), sections)
    if (told?.text !== text) told = { text, content: preparePublic("text/plain; charset=utf-8", text, REVISED_SECONDS) }
    return sendPublic(request, reply, await told.content)
  }
  const schema = (operationId: string, summary: string) => ({
    operationId,
    summary,
    tags: ["Reference"],
    response: answersAs("text/plain", z.string())
  })
  app.get(
    "/v1/llms.txt",
    {
      config: { auth: "none" },
      schema: schema("readLlmsText", "How to set up and use this server, as text for agents")
    },
    show
  )
  app.get(
    "/llms.txt",
    {
      config: { auth: "none" },
      schema: schema("readRootLlmsText", "The same as /v1/llms.txt, where agents look for it")
    },
    show
  )
}
