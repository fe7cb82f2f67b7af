import * as Effect from "effect/Effect"
import type { FastifyRequest } from "fastify"
import { isId } from "#pipeline/domain/Id.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { accountAppNotFound } from "./tenancyErrors.ts"

/** The app in the path, if it belongs to the account. */
export const accountAppOf = Effect.fnUntraced(function* (request: FastifyRequest) {
  const { app_id: appId = "" } = request.params as Readonly<Record<string, string>>
  return isId("app", appId) ? yield* Apps.use((apps) => apps.getOf(request.account.accountId, appId)) : undefined
})

export const findAccountApp = Effect.fnUntraced(function* (request: FastifyRequest) {
  return (yield* accountAppOf(request)) ?? (yield* accountAppNotFound)
})
