import * as Effect from "effect/Effect"
import * as z from "zod"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { success } from "#src/http/server/envelope.ts"
import { answers } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { findAccountApp } from "#src/http/tenancy/accountApp.ts"
import { ACCOUNT_PLANE } from "#src/http/tenancy/accountPlane.ts"
import { accountAppExists } from "#src/http/tenancy/appExists.ts"
import { readSafety, readUsage } from "./usage.ts"
import { SafetyUsageData, safetyQuery, UsageData, usageQuery } from "./usageSchemas.ts"

/** What the apps of an account have used. */
export const accountUsageRoutes: Routes = ({ app, answer }) => {
  app.get(
    "/v1/account/usage",
    {
      config: { auth: { account: "usage:read" } },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAccountUsage",
        summary: "Get the usage of all apps of the account",
        querystring: usageQuery("day", "kind", "app", "character", "model", "end_user"),
        response: answers(UsageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const apps = yield* Apps.use((apps) => apps.idsOf(request.account.accountId))
          return success(yield* readUsage(apps, request.query))
        })
      )
  )

  app.get(
    "/v1/account/usage/safety",
    {
      config: { auth: { account: "usage:read" } },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAccountSafetyUsage",
        summary: "Count crisis referrals, AI disclosures and break reminders of all apps of the account, by month",
        querystring: safetyQuery,
        response: answers(SafetyUsageData)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const apps = yield* Apps.use((apps) => apps.idsOf(request.account.accountId))
          return success(yield* readSafety(apps, request.query))
        })
      )
  )

  app.get(
    "/v1/account/apps/:app_id/usage/safety",
    {
      config: { auth: { account: "usage:read" }, exists: accountAppExists },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAppSafetyUsage",
        summary: "Count crisis referrals, AI disclosures and break reminders of an app of the account, by month",
        params: z.object({ app_id: z.string() }),
        querystring: safetyQuery,
        response: answers(SafetyUsageData, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          return success(yield* readSafety([appId], request.query))
        })
      )
  )

  app.get(
    "/v1/account/apps/:app_id/usage",
    {
      config: { auth: { account: "usage:read" }, exists: accountAppExists },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAppUsage",
        summary: "Get the usage of an app of the account",
        params: z.object({ app_id: z.string() }),
        querystring: usageQuery("day", "kind", "character", "model", "end_user"),
        response: answers(UsageData, "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          return success(yield* readUsage([appId], request.query))
        })
      )
  )
}
