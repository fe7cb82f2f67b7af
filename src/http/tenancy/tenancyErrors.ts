import { defineError } from "#src/http/server/catalogue.ts"

export const appNotFound = defineError(
  404,
  "app_not_found",
  "There is no such app for this key.",
  "GET /v1/me says which app the key belongs to."
)
/** The same on the account plane. */
export const accountAppNotFound = appNotFound.saying(
  "There is no such app in this account.",
  "List the account's apps with GET /v1/account/apps."
)
export const apiKeyNotFound = defineError(
  404,
  "api_key_not_found",
  "There is no such key in this app.",
  "List the app's keys with GET /v1/account/apps/{app_id}/api-keys."
)
export const tokenNotFound = defineError(
  404,
  "token_not_found",
  "There is no such token in this account.",
  "List the account's tokens with GET /v1/account."
)
const tooManyApps = defineError(
  409,
  "app_limit_reached",
  "The account has as many apps as it may have.",
  "Use one of the apps that are there: GET /v1/account/apps."
)
export const appLimitReached = (most: number) =>
  tooManyApps.saying(`The account has ${most} apps, which is as many as it may have.`)
const tooManyKeys = defineError(
  409,
  "api_key_limit_reached",
  "The app has as many keys as it may have.",
  "Revoke one that is not used any more, or rotate one without grace_seconds."
)
export const apiKeyLimitReached = (most: number) =>
  tooManyKeys.saying(`The app has ${most} keys that can be used, which is as many as it may have.`)
export const apiKeyEnded = defineError(
  409,
  "api_key_ended",
  "This key is revoked, expired or rotated already.",
  "Create another key with POST /v1/account/apps/{app_id}/api-keys."
)
const tooManyDemoKeys = defineError(
  429,
  "demo_sandbox_rate_limited",
  "Too many demo keys were fetched from here within an hour.",
  "Use the key that you were given, or try again after the time in Retry-After."
)
export const demoSandboxRateLimited = (seconds: number) =>
  tooManyDemoKeys.after(
    seconds,
    `Use the key that you were given, or try again in ` +
      `${seconds < 120 ? `${seconds} seconds` : `about ${Math.ceil(seconds / 60)} minutes`}.`
  )
export const demoSandboxDisabled = defineError(
  503,
  "demo_sandbox_disabled",
  "This server gives out no demo keys.",
  "Use a runtime key of an app of your own: GET /v1/llms.txt says how.",
  { retryable: false }
)
