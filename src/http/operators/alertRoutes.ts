import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { Alerts } from "#src/db/operators/Alerts.ts"
import { iso } from "#src/health/Problem.ts"
import { success } from "#src/http/server/envelope.ts"
import { listQuery, page, placeCursorKey } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { AlertPage } from "./alertSchemas.ts"

export const alertRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/alerts",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listAlerts",
        summary: "List the alerts of the server, newest first",
        querystring: z.object({ ...listQuery, state: z.enum(["open", "resolved"]).optional() }),
        response: answers(AlertPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit, state = null } = request.query
          const before = yield* placeCursorKey(cursor, (key) => isId("alr", key))
          const rows = yield* Alerts.use((alerts) => alerts.list({ state, before, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.alert_id)
          return success({
            alerts: items.map((alert) => ({
              alert_id: alert.alert_id,
              kind: alert.kind,
              app_id: alert.app_id,
              severity: alert.severity,
              state: alert.resolved_at === null ? "open" : "resolved",
              since: iso(alert.since),
              opened_at: alert.opened_at.toISOString(),
              resolved_at: iso(alert.resolved_at),
              problems: alert.problems,
              repeats: alert.repeats,
              sent_at: alert.sent_at.toISOString(),
              cause: alert.cause,
              next_step: alert.next_step,
              // Those of before the reach of a problem was counted have none.
              examples: alert.examples.map((example) => ({ reach: 0, ...example }))
            })),
            next_cursor
          })
        })
      )
  )
}
