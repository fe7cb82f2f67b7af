import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { Allowances, type AppAllowance } from "#src/db/billing/Allowances.ts"
import { RateLimits } from "#src/db/tenancy/RateLimits.ts"
import { findAccountApp } from "#src/http/tenancy/accountApp.ts"
import { ACCOUNT_PLANE } from "#src/http/tenancy/accountPlane.ts"
import { readAppCaps, readEndUserCaps, toAppCapsResource, toEndUserCapsResource } from "./caps.ts"
import { accountCurl, success } from "#src/http/server/envelope.ts"
import { accountEndUserNotFound } from "./billingErrors.ts"
import { answers, written } from "#src/http/server/schemas/answers.ts"
import { AppCapsData, AppCapsPatch, EndUserCapsData, EndUserCapsPatch } from "./capsSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { accountAppExists } from "#src/http/tenancy/appExists.ts"
import { accountEndUserExists } from "./accountEndUserExists.ts"
import { isExternalUserRef } from "#src/http/privacy/externalUserRef.ts"

/** Limits on what an account's apps and their end-users may use. */
export const accountCapsRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ app_id: z.string() })
  const userParams = z.object({ app_id: z.string(), external_user_ref: z.string() })
  const path = "/v1/account/apps/:app_id/caps"
  const userPath = "/v1/account/apps/:app_id/end-users/:external_user_ref/caps"
  const shown = Effect.fnUntraced(function* (appId: string, allowance: AppAllowance) {
    const { quotas } = yield* RateLimits
    return success(toAppCapsResource(allowance, quotas.messages, yield* Clock.currentTimeMillis), next(appId))
  })
  const next = (appId: string) => [
    {
      command: accountCurl(baseUrl(), "GET", `/v1/account/apps/${appId}/usage?group_by=day`),
      description: "See the app's usage"
    }
  ]

  app.get(
    path,
    {
      config: { auth: { account: "apps:read" }, exists: accountAppExists },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAppCaps",
        summary: "Get an app's budgets, default end-user caps and current use",
        params,
        response: answers(AppCapsData, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          const allowance = yield* Allowances.use((allowances) => allowances.ofApp(appId))
          return yield* shown(appId, allowance)
        })
      )
  )

  app.patch(
    path,
    {
      config: { auth: { account: "caps:write" }, exists: accountAppExists, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "updateAppCaps",
        summary: "Update an app's budgets and caps by JSON merge patch",
        params,
        body: AppCapsPatch,
        response: answers(AppCapsData.extend(written), "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId, account_id: accountId } = yield* findAccountApp(request)
          const allowance = yield* Allowances.use((allowances) =>
            allowances.limitApp(appId, accountId, readAppCaps(request.body))
          )
          return yield* shown(appId, allowance)
        })
      )
  )

  app.get(
    userPath,
    {
      config: { auth: { account: "apps:read" }, exists: accountEndUserExists },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAppEndUserCaps",
        summary: "Get the caps and current use of an app's end-user",
        params: userParams,
        response: answers(EndUserCapsData, "app_not_found", "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          const { external_user_ref: ref } = request.params
          if (!isExternalUserRef(ref)) return yield* accountEndUserNotFound
          const allowance = yield* Allowances.use((allowances) => allowances.ofEndUser(appId, ref))
          return success(
            toEndUserCapsResource(ref, allowance ?? (yield* accountEndUserNotFound), yield* Clock.currentTimeMillis)
          )
        })
      )
  )

  app.patch(
    userPath,
    {
      config: { auth: { account: "caps:write" }, exists: accountAppExists, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "updateAppEndUserCaps",
        summary: "Update an end-user's caps by JSON merge patch, even before their first session",
        params: userParams,
        body: EndUserCapsPatch,
        response: answers(EndUserCapsData.extend(written), "app_not_found", "end_user_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          const { external_user_ref: ref } = request.params
          if (!isExternalUserRef(ref)) return yield* accountEndUserNotFound
          const allowance = yield* Allowances.use((allowances) =>
            allowances.limitEndUser(appId, ref, readEndUserCaps(request.body))
          )
          return success(toEndUserCapsResource(ref, allowance, yield* Clock.currentTimeMillis))
        })
      )
  )
}
