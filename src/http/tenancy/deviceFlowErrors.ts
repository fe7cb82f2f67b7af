import { defineError } from "#src/http/server/catalogue.ts"

export const deviceRateLimited = defineError(
  429,
  "account_device_rate_limited",
  "Too many device codes were asked for from this address.",
  "Use the code that you were given, or try again after the time in Retry-After."
)
export const signInDisabled = defineError(
  503,
  "account_sign_in_disabled",
  "Nobody can sign in here: this server has no identity provider.",
  "Have the operator set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, or make an app at the command line.",
  { retryable: false }
)
export const authorizationPending = defineError(
  400,
  "authorization_pending",
  "Nobody has approved or denied the code yet.",
  "Ask again after interval_seconds.",
  { retryable: true }
)
export const slowDown = defineError(
  429,
  "slow_down",
  "Asked too soon; the interval is 5 seconds longer from now on.",
  "Ask again after interval_seconds."
)
export const accessDenied = defineError(
  403,
  "access_denied",
  "The person has denied the request.",
  "Start anew with POST /v1/account/device/start, if they want that."
)
export const expiredToken = defineError(
  400,
  "expired_token",
  "This device code has expired, was used, or never was.",
  "Start anew with POST /v1/account/device/start."
)
