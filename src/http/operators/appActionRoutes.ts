import * as Effect from "effect/Effect"
import * as z from "zod"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { Suspensions } from "#src/db/operators/Suspensions.ts"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { readAppCaps } from "#src/http/billing/caps.ts"
import { AppCapsPatch } from "#src/http/billing/capsSchemas.ts"
import { success } from "#src/http/server/envelope.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { answers, created as onCreate, written } from "#src/http/server/schemas/answers.ts"
import { between } from "#src/http/server/schemas/number.ts"
import { text } from "#src/http/server/schemas/text.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { KeyData, KeyPage, shownKey } from "#src/http/tenancy/accountSchemas.ts"
import { isKeyPrefix } from "#src/accounts/apiKey.ts"
import { toKeyResource } from "#src/http/tenancy/keyResource.ts"
import { ACTS, VIEWS } from "./access.ts"
import { Reason } from "./botActionRoutes.ts"
import { findAnyApp, showApp } from "./operatorAppRoutes.ts"
import { OperatorAppDetail } from "./operatorAppSchemas.ts"
import { anyAppNotFound, anyKeyNotFound } from "./operatorErrors.ts"

const AppCreate = z.object({
  name: text(1, 80),
  monthly_budget_usd: between(0, 1_000_000).nullable().optional().meta({ description: "null: no budget" })
})
const AppCreated = z
  .object({ app_id: z.string(), name: z.string(), key_prefix: z.string() })
  .extend({ ...shownKey, ...onCreate })

/** What operators do to an app of any account. */
export const appActionRoutes: Routes = ({ app, answer }) => {
  const params = z.object({ app_id: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const shown = OperatorAppDetail.extend(written)

  app.post(
    "/admin/apps",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "createOperatorApp",
        summary: "Create an app of the operator, with its first key, which is shown only once",
        headers,
        body: AppCreate,
        response: answers(AppCreated)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { name, monthly_budget_usd: budget = null } = request.body
            const monthlyBudgetMicroUsd = budget === null ? null : Math.round(budget * 1_000_000)
            const { appId, key } = yield* Apps.use((apps) => apps.create({ name, monthlyBudgetMicroUsd }))
            return {
              ...success({ app_id: appId, name, key_prefix: key.prefix }),
              shownOnce: { api_key: key.apiKey }
            }
          })
        )
      )
  )

  app.post(
    "/admin/apps/:app_id/suspend",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "suspendApp",
        summary: "Suspend everything that an app does. Its keys are refused with 403 app_suspended; nothing is lost",
        params,
        body: Reason.optional(),
        response: answers(shown, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAnyApp(request.params.app_id)
          yield* Suspensions.use(({ suspend }) => suspend(appId, request.body?.reason ?? null)).pipe(
            Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound))
          )
          return yield* showApp(appId)
        })
      )
  )

  app.post(
    "/admin/apps/:app_id/resume",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "resumeApp",
        summary: "Resume a suspended app. Everything continues where it stopped",
        params,
        response: answers(shown, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAnyApp(request.params.app_id)
          yield* Suspensions.use(({ resume }) => resume(appId)).pipe(
            Effect.catchTag("NoSuchApp", () => Effect.fail(anyAppNotFound))
          )
          return yield* showApp(appId)
        })
      )
  )

  app.patch(
    "/admin/apps/:app_id/caps",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "updateOperatorAppCaps",
        summary: "Update the budgets and limits of an app of any account by JSON merge patch",
        params,
        body: AppCapsPatch,
        response: answers(shown, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId, account_id: accountId } = yield* findAnyApp(request.params.app_id)
          yield* Allowances.use((allowances) => allowances.limitApp(appId, accountId, readAppCaps(request.body)))
          return yield* showApp(appId)
        })
      )
  )

  app.get(
    "/admin/apps/:app_id/api-keys",
    {
      config: { auth: VIEWS },
      schema: {
        operationId: "listOperatorAppKeys",
        summary: "List the keys of an app of any account: name, prefix and last use",
        params,
        querystring: z.object(listQuery),
        response: answers(KeyPage, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const { app_id: appId } = yield* findAnyApp(request.params.app_id)
          const rows = yield* ApiKeys.use((keys) => keys.list(appId, { after, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.prefix)
          return success({ api_keys: items.map(toKeyResource), next_cursor })
        })
      )
  )

  app.post(
    "/admin/apps/:app_id/api-keys/:prefix/revoke",
    {
      config: { auth: ACTS, writes: true },
      schema: {
        operationId: "revokeOperatorAppKey",
        summary: "Revoke a key permanently. Its open connections end within a second",
        params: z.object({ app_id: z.string(), prefix: z.string() }),
        response: answers(KeyData, "api_key_not_found", "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { prefix } = request.params
          const { app_id: appId } = yield* findAnyApp(request.params.app_id)
          const revoked = isKeyPrefix(prefix) ? yield* ApiKeys.use((keys) => keys.revoke({ appId, prefix })) : undefined
          return success(toKeyResource(revoked ?? (yield* anyKeyNotFound)))
        })
      )
  )
}
