import * as z from "zod"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { type PublicContent, sendPublic } from "./publicContent.ts"

/** `openApi`: the OpenAPI document, prepared at its first use. */
export const referenceRoutes =
  (openApi: () => Promise<PublicContent>): Routes =>
  ({ app }) => {
    app.get(
      "/openapi.json",
      {
        config: { auth: "none" },
        schema: {
          operationId: "readOpenApi",
          summary: "This document",
          tags: ["Reference"],
          response: answersAs("application/json", z.looseObject({ openapi: z.string(), paths: z.looseObject({}) }))
        }
      },
      async (request, reply) => sendPublic(request, reply, await openApi())
    )
  }
