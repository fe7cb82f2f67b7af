import * as Effect from "effect/Effect"
import * as z from "zod"
import { Database } from "#src/db/postgres/Database.ts"
import { publicAnswers } from "./schemas/answers.ts"
import type { Routes } from "./Server.ts"

export const healthRoutes: Routes = ({ app, run }) => {
  const schemaOf = (operationId: string, summary: string, status: string) => ({
    operationId,
    summary,
    tags: ["Reference"],
    response: publicAnswers("application/json", z.object({ status: z.literal(status) }), 503)
  })

  app.get(
    "/healthz",
    {
      config: { auth: "none", cost: { requests: 0 } },
      schema: schemaOf("getHealth", "Check that this process is running", "ok")
    },
    (_, reply) => reply.send({ status: "ok" })
  )

  app.get(
    "/readyz",
    {
      config: { auth: "none", cost: { requests: 0 } },
      schema: schemaOf("getReadiness", "Check that this process can reach its database", "ready")
    },
    async (_, reply) => {
      await run(reply, Database.use(({ query }) => query((sql) => sql`select 1`)).pipe(Effect.asVoid))
      return reply.send({ status: "ready" })
    }
  )
}
