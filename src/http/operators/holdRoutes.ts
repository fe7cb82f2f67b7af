import * as Effect from "effect/Effect"
import * as z from "zod"
import { ALL_APPS } from "#src/db/delivery/isSuspendedByOperator.ts"
import { Holds } from "#src/db/operators/Holds.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"

const HoldsData = z.object({
  holds: z.array(
    z.object({
      kind: z
        .enum(["app", "telegram", "delivery"])
        .describe("app: a suspended app; telegram: bots; delivery: everything, after a restore"),
      app_id: z.string().nullable().describe("null: all apps"),
      since: z.iso.datetime(),
      reason: z.string().nullable()
    })
  )
})

export const holdRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/holds",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listHolds",
        summary: "List what operators or a restore have put on hold, oldest first",
        response: answers(HoldsData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.map(
          Holds.use(({ list }) => list),
          (holds) =>
            success({
              holds: holds.map(({ kind, scope, since, reason }) => ({
                kind,
                app_id: scope === ALL_APPS ? null : scope,
                since: since.toISOString(),
                reason
              }))
            })
        )
      )
  )
}
