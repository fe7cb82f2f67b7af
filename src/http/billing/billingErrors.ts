import { endUserNotFound } from "#src/http/privacy/privacyErrors.ts"
import { ownAppFix } from "#src/http/server/errors.ts"
import { defineError } from "#src/http/server/catalogue.ts"

export const budgetExceeded = defineError(
  402,
  "budget_exceeded",
  "The app's budget does not cover this message. Nothing was charged.",
  "Raise the app's budget, or wait until it resets."
)
export const demoCreditUsed = budgetExceeded.saying(
  "The credit of this demo key does not cover this message. Nothing was charged.",
  ownAppFix
)
export const workNotAffordable = budgetExceeded.saying("The app's budget does not cover the cost. Nothing was charged.")
export const endUserCapExceeded = defineError(
  402,
  "end_user_cap_exceeded",
  "This end-user has reached the app's cap. Nothing was charged.",
  "Raise the end-user's caps with PATCH /v1/end-users/{external_user_ref}/caps, or wait until they reset " +
    "at 00:00 UTC."
)
/** The same on the account plane, which has no list of end-users. */
export const accountEndUserNotFound = endUserNotFound.saying(
  endUserNotFound.message,
  "An end-user exists as soon as they have a session."
)
