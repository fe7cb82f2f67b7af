import * as Effect from "effect/Effect"
import * as z from "zod"
import { type App, Apps, MAX_APPS } from "#src/db/tenancy/Apps.ts"
import { findAccountApp } from "./accountApp.ts"
import { ACCOUNT_PLANE } from "./accountPlane.ts"
import { toAppResource } from "./appResource.ts"
import { accountCurl, success } from "#src/http/server/envelope.ts"
import { appLimitReached, accountAppNotFound } from "./tenancyErrors.ts"
import { versionConflict } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { AccountAppCreate, AccountAppPage, AccountAppPatch } from "./accountSchemas.ts"
import { answers, created, written } from "#src/http/server/schemas/answers.ts"
import { AppData } from "./appSchemas.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { accountAppExists } from "./appExists.ts"

/** The apps of an account. */
export const accountAppRoutes: Routes = ({ app, answer, baseUrl }) => {
  const params = z.object({ app_id: z.string() })
  const shown = (found: App) =>
    success(toAppResource(found), [
      {
        command: accountCurl(baseUrl(), "POST", `/v1/account/apps/${found.app_id}/api-keys`, { name: "backend" }),
        description: "Create a runtime key for the app. It is shown only once"
      },
      {
        command: accountCurl(baseUrl(), "GET", `/v1/account/apps/${found.app_id}/api-keys`),
        description: "List the app's keys"
      }
    ])

  app.post(
    "/v1/account/apps",
    {
      config: { auth: { account: "apps:write" }, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "createAccountApp",
        summary: "Create an app, without keys",
        headers: z.object({ "idempotency-key": z.string().optional() }),
        body: AccountAppCreate,
        response: answers(AppData.extend(created), "app_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Apps.use((apps) => apps.open({ accountId: request.account.accountId, ...request.body })).pipe(
            Effect.catchTag("TooManyApps", () => Effect.fail(appLimitReached(MAX_APPS))),
            Effect.map(shown)
          )
        )
      )
  )

  app.get(
    "/v1/account/apps",
    {
      config: { auth: { account: "apps:read" } },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "listAccountApps",
        summary: "List the apps of the account",
        querystring: z.object(listQuery),
        response: answers(AccountAppPage)
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const rows = yield* Apps.use((apps) =>
            apps.list({ accountId: request.account.accountId, after, limit: limit + 1 })
          )
          const { items, next_cursor } = page(rows, limit, (row) => row.app_id)
          return success(
            { apps: items.map(toAppResource), next_cursor },
            items.slice(0, 1).flatMap((item) => shown(item).nextActions)
          )
        })
      )
  )

  app.get(
    "/v1/account/apps/:app_id",
    {
      config: { auth: { account: "apps:read" } },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "getAccountApp",
        summary: "Get an app of the account",
        params,
        response: answers(AppData, "app_not_found")
      }
    },
    (request, reply) => answer(request, reply, Effect.map(findAccountApp(request), shown))
  )

  app.patch(
    "/v1/account/apps/:app_id",
    {
      config: { auth: { account: "apps:write" }, exists: accountAppExists, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "updateAccountApp",
        summary: "Update an app of the account by JSON merge patch. Each change creates a new version",
        params,
        body: AccountAppPatch,
        response: answers(AppData.extend(written), "app_not_found", "version_conflict")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        Effect.gen(function* () {
          const { app_id: appId } = yield* findAccountApp(request)
          const changed = yield* Apps.use((apps) => apps.patch(appId, request.body)).pipe(
            Effect.catchTag("VersionConflict", ({ current }) => Effect.fail(versionConflict("app", current)))
          )
          return shown(changed ?? (yield* accountAppNotFound))
        })
      )
  )
}
