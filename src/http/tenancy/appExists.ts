import * as Effect from "effect/Effect"
import { ApiKeys } from "#src/db/tenancy/ApiKeys.ts"
import { Apps } from "#src/db/tenancy/Apps.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { accountAppOf } from "./accountApp.ts"
import { isKeyPrefix } from "#src/accounts/apiKey.ts"
import { accountAppNotFound, apiKeyNotFound, appNotFound } from "./tenancyErrors.ts"

/** The app that the key belongs to. */
export const appExists = resourceExists(
  appNotFound,
  ({ app_id = "" }, { principal }) => app_id === principal.appId && Apps.use((apps) => apps.get(app_id))
)

export const accountAppExists = resourceExists(accountAppNotFound, (_, request) => accountAppOf(request))

export const apiKeyExists = resourceExists(
  apiKeyNotFound,
  ({ prefix = "" }, request) =>
    isKeyPrefix(prefix) &&
    Effect.flatMap(accountAppOf(request), (owner) =>
      owner === undefined ? Effect.undefined : ApiKeys.use((keys) => keys.get({ appId: owner.app_id, prefix }))
    )
)
