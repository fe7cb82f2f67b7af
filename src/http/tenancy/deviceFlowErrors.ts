import { defineError } from "#src/http/server/catalogue.ts"

export const deviceRateLimited = defineError(
  429,
  "account_device_rate_limited",
  "Too many device codes were requested from this address.",
  "Use the code you already have, or try again after the time in Retry-After."
)
export const signInDisabled = defineError(
  503,
  "account_sign_in_disabled",
  "Sign-in is disabled: this server has no identity provider.",
  "Ask the operator to set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or create an app on the command line.",
  { retryable: false }
)
export const authorizationPending = defineError(
  400,
  "authorization_pending",
  "The code hasn't been approved or denied yet.",
  "Poll again after interval_seconds.",
  { retryable: true }
)
export const slowDown = defineError(
  429,
  "slow_down",
  "You polled too soon. The interval is now 5 seconds longer.",
  "Poll again after interval_seconds."
)
export const accessDenied = defineError(
  403,
  "access_denied",
  "The person has denied the request.",
  "If they change their mind, start over with POST /v1/account/device/start."
)
export const expiredToken = defineError(
  400,
  "expired_token",
  "This device code has expired, was already used, or doesn't exist.",
  "Start over with POST /v1/account/device/start."
)
