import * as z from "zod"
import { ProcessMetrics } from "#src/db/operators/ProcessMetrics.ts"
import { answersAs } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

/** The text format of Prometheus. */
export const PROMETHEUS_TEXT = "text/plain; version=0.0.4; charset=utf-8"

/** The metrics of this process. */
export const metricsRoutes: Routes = ({ app, run }) => {
  app.get(
    "/metrics",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "getProcessMetrics",
        summary: "Read the metrics of this process, as Prometheus text",
        tags: ["Operator"],
        response: answersAs("text/plain", z.string())
      }
    },
    async (_, reply) => {
      const text = await run(
        reply,
        ProcessMetrics.use((metrics) => metrics.text)
      )
      return reply.header("content-type", PROMETHEUS_TEXT).send(text)
    }
  )
}
