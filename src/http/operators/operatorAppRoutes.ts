import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { isId } from "#pipeline/domain/Id.ts"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { OperatorApps } from "#src/db/operators/OperatorApps.ts"
import { Rollups } from "#src/db/operators/Rollups.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { toAppCapsResource } from "#src/http/billing/caps.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { VIEWS } from "./access.ts"
import { toOperatorApp, totalsAt } from "./operatorAppResource.ts"
import { OperatorAppDetail, OperatorAppPage, OperatorAppQuery } from "./operatorAppSchemas.ts"
import { anyAppNotFound } from "./operatorErrors.ts"
import { positionOf, sortedPage } from "./position.ts"

/** The app that a path names. */
export const findAnyApp = Effect.fnUntraced(function* (appId: string) {
  const found = isId("app", appId) ? yield* OperatorApps.use((apps) => apps.get(appId)) : undefined
  return found ?? (yield* anyAppNotFound)
})

/** An app with its caps and figures. */
export const showApp = Effect.fnUntraced(function* (appId: string) {
  const row = yield* findAnyApp(appId)
  const allowance = yield* Allowances.use((allowances) => allowances.ofApp(appId))
  const { quotas } = yield* RateLimits
  const { usage } = yield* Rollups.use(({ asOf }) => asOf)
  return success({
    ...toOperatorApp(row),
    caps: toAppCapsResource(allowance, quotas.messages, yield* Clock.currentTimeMillis),
    totals: totalsAt(usage)
  })
})

/** The apps of every account. */
export const operatorAppRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/admin/apps",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listApps",
        summary: "List the apps of every account, the most expensive first",
        querystring: OperatorAppQuery,
        response: answers(OperatorAppPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { sort, state = null, account_id: accountId = null, name = null, limit } = request.query
          const after = yield* positionOf(request.query.cursor)
          const rows = yield* OperatorApps.use((apps) =>
            apps.list({ state, accountId, account: null, name }, sort, { after, limit: limit + 1 })
          )
          const { items, next_cursor } = sortedPage(rows, limit, (row) => row.app_id)
          const { usage } = yield* Rollups.use(({ asOf }) => asOf)
          return success({ apps: items.map(toOperatorApp), totals: totalsAt(usage), next_cursor })
        })
      )
  )

  app.get(
    "/admin/apps/:app_id",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "getApp",
        summary: "Get an app of any account with its figures, budgets and limits",
        params: z.object({ app_id: z.string() }),
        response: answers(OperatorAppDetail, "app_not_found")
      }
    },
    (request, reply) => answer(request, reply, showApp(request.params.app_id))
  )
}
