import * as Effect from "effect/Effect"
import * as z from "zod"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { success } from "#src/http/server/envelope.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"

const OperatorAppPage = z.object({
  apps: z.array(
    z.object({
      app_id: z.string(),
      account_id: z.string(),
      name: z.string(),
      environment: z.enum(["test", "live"]),
      status: z.enum(["active", "suspended"]),
      suspended_at: z.iso.datetime().nullable(),
      suspended_reason: z.string().nullable(),
      created_at: z.iso.datetime()
    })
  ),
  next_cursor: z.string().nullable()
})

/** The apps of every account. */
export const operatorAppRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/apps",
    {
      config: { auth: { operator: "viewer" } },
      schema: {
        operationId: "listApps",
        summary: "List the apps of every account",
        querystring: z.object(listQuery),
        response: answers(OperatorAppPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const rows = yield* Apps.use((apps) => apps.list({ accountId: null, after, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.app_id)
          return success({
            apps: items.map(
              ({ app_id, account_id, name, environment, suspended_at, suspended_reason, created_at }) => ({
                app_id,
                account_id,
                name,
                environment,
                status: suspended_at === null ? "active" : "suspended",
                suspended_at: suspended_at?.toISOString() ?? null,
                suspended_reason,
                created_at: created_at.toISOString()
              })
            ),
            next_cursor
          })
        })
      )
  )
}
