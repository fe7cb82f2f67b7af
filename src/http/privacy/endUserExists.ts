import { Allowances } from "#src/db/billing/Allowances.ts"
import { resourceExists } from "#src/http/server/resourceExists.ts"
import { isExternalUserRef } from "./externalUserRef.ts"
import { endUserNotFound } from "./privacyErrors.ts"

export const endUserExists = resourceExists(
  endUserNotFound,
  ({ external_user_ref: ref = "" }, { principal }) =>
    isExternalUserRef(ref) && Allowances.use((allowances) => allowances.ofEndUser(principal.appId, ref))
)
