import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { Metrics } from "#src/db/conversation/Metrics.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import { MetricsData } from "./metricsSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"

const HOUR_MS = 3_600_000
const WINDOWS = { "1h": HOUR_MS, "24h": 24 * HOUR_MS, "7d": 7 * 24 * HOUR_MS } as const
const NONE = { replied: 0, withheld: 0, exited: 0, failed: 0, generating: 0 } as const

const rate = (part: number, whole: number) => (whole === 0 ? null : part / whole)

export const metricsRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/metrics",
    {
      config: { demo: true },
      schema: {
        operationId: "readMetrics",
        summary: "Get metrics of the app's recent turns",
        tags: ["Observability"],
        querystring: z.object({ window: z.enum(["1h", "24h", "7d"]).default("24h") }),
        response: answers(MetricsData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { window } = request.query
          const since = new Date((yield* Clock.currentTimeMillis) - WINDOWS[window])
          const { cost_micro_usd, delivery, outcomes, ...row } = yield* Metrics.use((metrics) =>
            metrics.since(request.principal.appId, since)
          )
          const all = { ...NONE, ...outcomes }
          const ended = row.turns - all.generating
          return success({
            window,
            since: since.toISOString(),
            ...row,
            outcomes: all,
            cost_usd: cost_micro_usd / 1_000_000,
            withhold_rate: rate(all.withheld, ended),
            exit_rate: rate(all.exited, ended),
            delivery: { success_rate: rate(delivery.sent, delivery.attempted) }
          })
        })
      )
  )
}
