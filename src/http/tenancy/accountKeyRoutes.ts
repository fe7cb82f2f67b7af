import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as z from "zod"
import { ApiKeys, type KeyRefused, MAX_KEYS } from "#src/db/tenancy/ApiKeys.ts"
import { findAccountApp } from "./accountApp.ts"
import { ACCOUNT_PLANE } from "./accountPlane.ts"
import { accountCurl, curl, success } from "#src/http/server/envelope.ts"
import { apiKeyEnded, apiKeyLimitReached, apiKeyNotFound, accountAppNotFound } from "./tenancyErrors.ts"
import { validationError } from "#src/http/server/errors.ts"
import { createOnce } from "#src/http/server/idempotent.ts"
import { isKeyPrefix } from "#src/accounts/apiKey.ts"
import { toKeyResource } from "./keyResource.ts"
import { cursorKey, listQuery, page } from "#src/http/server/listing.ts"
import { KeyCreate, KeyData, KeyPage, KeyRotate, KeyRotated, shownKey } from "./accountSchemas.ts"
import { answers, created } from "#src/http/server/schemas/answers.ts"
import type { Routes } from "#src/http/server/Server.ts"
import { accountAppExists, apiKeyExists } from "./appExists.ts"

const refused = ({ reason }: KeyRefused) => Effect.fail(reason === "ended" ? apiKeyEnded : apiKeyLimitReached(MAX_KEYS))

const readExpiry = Effect.fnUntraced(function* (text: string | null | undefined) {
  if (text === null || text === undefined) return null
  const expiresAt = new Date(text)
  return expiresAt.getTime() > (yield* Clock.currentTimeMillis)
    ? expiresAt
    : yield* validationError("body.expires_at: Must be in the future")
})

/** Runtime keys of an account's apps. */
export const accountKeyRoutes: Routes = ({ app, answer, baseUrl }) => {
  const path = "/v1/account/apps/:app_id/api-keys"
  const params = z.object({ app_id: z.string() })
  const keyParams = z.object({ app_id: z.string(), prefix: z.string() })
  const headers = z.object({ "idempotency-key": z.string().optional() })
  const tryIt = { command: curl(baseUrl(), "GET", "/v1/me"), description: "Test the key, with the key in TROUPE_KEY" }
  const prefixOf = ({ prefix }: z.output<typeof keyParams>) =>
    isKeyPrefix(prefix) ? Effect.succeed(prefix) : Effect.fail(apiKeyNotFound)

  app.post(
    path,
    {
      config: { auth: { account: "keys:write" }, exists: accountAppExists, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "createApiKey",
        summary: "Create a runtime key for an app. The whole key is shown only once",
        params,
        headers,
        body: KeyCreate,
        response: answers(KeyData.extend({ ...shownKey, ...created }), "app_not_found", "api_key_limit_reached")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { app_id: appId } = yield* findAccountApp(request)
            const expiresAt = yield* readExpiry(request.body.expires_at)
            const made = yield* ApiKeys.use((keys) => keys.create(appId, { name: request.body.name, expiresAt })).pipe(
              Effect.catchTag("KeyRefused", refused)
            )
            if (made === undefined) return yield* accountAppNotFound
            return { ...success(toKeyResource(made.key), [tryIt]), shownOnce: { api_key: made.minted.apiKey } }
          })
        )
      )
  )

  app.get(
    path,
    {
      config: { auth: { account: "apps:read" }, exists: accountAppExists },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "listApiKeys",
        summary: "List the keys of an app: name, prefix and last use",
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
          const { app_id: appId } = yield* findAccountApp(request)
          const { cursor, limit } = request.query
          const after = yield* cursorKey(cursor)
          const rows = yield* ApiKeys.use((keys) => keys.list(appId, { after, limit: limit + 1 }))
          const { items, next_cursor } = page(rows, limit, (row) => row.prefix)
          return success(
            { api_keys: items.map(toKeyResource), next_cursor },
            items
              .filter(({ status }) => status === "active")
              .slice(0, 1)
              .map(({ prefix }) => ({
                command: accountCurl(baseUrl(), "POST", `/v1/account/apps/${appId}/api-keys/${prefix}/rotate`, {
                  grace_seconds: 3600
                }),
                description: "Replace a key. The old key stays valid for an hour"
              }))
          )
        })
      )
  )

  app.post(
    `${path}/:prefix/rotate`,
    {
      config: { auth: { account: "keys:write" }, exists: apiKeyExists, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "rotateApiKey",
        summary: "Rotate a key. The old key stays valid for grace_seconds. The whole new key is shown only once",
        params: keyParams,
        headers,
        body: KeyRotate.optional(),
        response: answers(
          KeyRotated.extend({ ...shownKey, ...created }),
          "api_key_not_found",
          "app_not_found",
          "api_key_ended",
          "api_key_limit_reached"
        )
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { app_id: appId } = yield* findAccountApp(request)
            const prefix = yield* prefixOf(request.params)
            const rotated = yield* ApiKeys.use((keys) =>
              keys.rotate({ appId, prefix }, request.body?.grace_seconds ?? 0)
            ).pipe(Effect.catchTag("KeyRefused", refused))
            if (rotated === undefined) return yield* apiKeyNotFound
            return {
              ...success({ ...toKeyResource(rotated.key), replaces: toKeyResource(rotated.replaced) }, [tryIt]),
              shownOnce: { api_key: rotated.minted.apiKey }
            }
          })
        )
      )
  )

  app.post(
    `${path}/:prefix/revoke`,
    {
      config: { auth: { account: "keys:write" }, exists: apiKeyExists, writes: true },
      schema: {
        ...ACCOUNT_PLANE,
        operationId: "revokeApiKey",
        summary: "Revoke a key permanently. Its open connections end within a second",
        params: keyParams,
        headers,
        response: answers(KeyData.extend(created), "api_key_not_found", "app_not_found")
      }
    },
    (request, reply) =>
      answer(
        request,
        reply,
        createOnce(
          request,
          Effect.gen(function* () {
            const { app_id: appId } = yield* findAccountApp(request)
            const prefix = yield* prefixOf(request.params)
            const revoked = yield* ApiKeys.use((keys) => keys.revoke({ appId, prefix }))
            return success(toKeyResource(revoked ?? (yield* apiKeyNotFound)))
          })
        )
      )
  )
}
