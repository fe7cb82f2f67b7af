import * as z from "zod"
import { READINESS_CHECKS, Readiness } from "#src/db/operators/Readiness.ts"
import { databaseUnreachable } from "./errors.ts"
import { type Answers, answersAs } from "./schemas/answers.ts"
import type { Routes } from "./Server.ts"

const NotReady = z
  .union([
    z.object({ detail: z.string() }),
    z.object({
      status: z.literal("not_ready"),
      check: z.enum(READINESS_CHECKS),
      message: z.string(),
      fix: z.string()
    })
  ])
  .describe("This process cannot do its work, for the reason in `check`, or it is stopping")

export const healthRoutes: Routes = ({ app, run }) => {
  const schemaOf = (operationId: string, summary: string, status: string, unavailable: Answers = {}) => ({
    operationId,
    summary,
    tags: ["Reference"],
    response: { ...answersAs("application/json", z.object({ status: z.literal(status) })), ...unavailable }
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
      schema: schemaOf("getReadiness", "Check that this process can do its work", "ready", { 503: NotReady })
    },
    async (_, reply) => {
      const problem = await run(
        reply,
        Readiness.use((readiness) => readiness.check)
      )
      if (problem === null) return reply.send({ status: "ready" })
      if (problem.check === "database") throw databaseUnreachable
      return reply.code(503).send({ status: "not_ready", ...problem })
    }
  )
}
