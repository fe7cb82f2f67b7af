import { endUserNotFound } from "#src/http/privacy/privacyErrors.ts"
import { ownAppFix } from "#src/http/server/errors.ts"
import { defineError } from "#src/http/server/catalogue.ts"

export const budgetExceeded = defineError(
  402,
  "budget_exceeded",
  "The app's budget does not cover this message. Nothing was charged.",
  "Raise the app's budget, or wait until it starts anew."
)
export const demoCreditUsed = budgetExceeded.saying(
  "The credit of this demo key does not cover this message. Nothing was charged.",
  ownAppFix
)
export const workNotAffordable = budgetExceeded.saying(
  "The app's budget does not cover what this may cost. Nothing was charged."
)
export const endUserCapExceeded = defineError(
  402,
  "end_user_cap_exceeded",
  "This end-user has used up what the app allows one. Nothing was charged.",
  "Raise the end-user's caps with PATCH /v1/end-users/{external_user_ref}/caps, or wait until they start anew " +
    "at 00:00 UTC."
)
/** The same on the account plane, where nothing lists end-users. */
export const accountEndUserNotFound = endUserNotFound.saying(
  endUserNotFound.message,
  "An end-user is there from their first session on."
)
