import * as Effect from "effect/Effect"
import { Allowances } from "#src/db/billing/Allowances.ts"
import { isExternalUserRef } from "#src/http/privacy/externalUserRef.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { accountAppOf } from "#src/http/tenancy/accountApp.ts"
import { accountEndUserNotFound } from "./billingErrors.ts"

/** An end-user of an app of the account. */
export const accountEndUserExists = resourceExists(
  accountEndUserNotFound,
  ({ external_user_ref: ref = "" }, request) =>
    isExternalUserRef(ref) &&
    Effect.flatMap(accountAppOf(request), (owner) =>
      owner === undefined ? Effect.undefined : Allowances.use((allowances) => allowances.ofEndUser(owner.app_id, ref))
    )
)
