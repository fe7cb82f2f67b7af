import * as Effect from "effect/Effect"
import * as z from "zod"
import { Health } from "#src/db/operators/Health.ts"
import { CHECKS, checksOf } from "#src/health/checks.ts"
import { SEVERITIES } from "#src/health/Problem.ts"
import { statusOf } from "#src/health/statusOf.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { ProblemData } from "./problemSchemas.ts"

export const AdminHealthData = z.object({
  status: z
    .enum(["ok", "degraded", "down"])
    .describe("down: nobody gets an answer. degraded: there is a problem that is not information"),
  checked_at: z.iso.datetime(),
  complete: z.boolean().describe("false: there are more than 1000 problems of one kind, and only the first are shown"),
  checks: z.array(
    z.object({
      name: z.enum(CHECKS),
      status: z.enum(["ok", ...SEVERITIES, "unknown"]).describe("unknown: the database does not answer"),
      problems: z.int(),
      evidence: ProblemData.shape.evidence
    })
  ),
  problems: z.array(ProblemData).describe("Worst first")
})

/** What is wrong with the server, its apps, bots and channels. It answers even if the database does not. */
export const adminHealthRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/health",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "getServerHealth",
        summary: "Get the health of the server: each check with its evidence, and every problem",
        response: answers(AdminHealthData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { evidence, problems } = yield* Health.use((health) => health.ofServer)
          return success({
            status: statusOf(problems),
            checked_at: evidence.at.toISOString(),
            complete: evidence.complete,
            checks: checksOf(evidence, problems),
            problems
          })
        })
      )
  )
}
