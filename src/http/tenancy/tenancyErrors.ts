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
  "The account has reached its limit of apps.",
  "Use one of the existing apps: GET /v1/account/apps."
)
export const appLimitReached = (most: number) => tooManyApps.saying(`The account has ${most} apps, which is the limit.`)
const tooManyKeys = defineError(
  409,
  "api_key_limit_reached",
  "The app has reached its limit of keys.",
  "Revoke a key you no longer use, or rotate one without grace_seconds."
)
export const apiKeyLimitReached = (most: number) =>
  tooManyKeys.saying(`The app has ${most} active keys, which is the limit.`)
export const apiKeyEnded = defineError(
  409,
  "api_key_ended",
  "This key is already revoked, expired or rotated.",
  "Create another key with POST /v1/account/apps/{app_id}/api-keys."
)
const tooManyDemoKeys = defineError(
  429,
  "demo_sandbox_rate_limited",
  "Too many demo keys were requested from this address in the last hour.",
  "Use the key you already have, or try again after the time in Retry-After."
)
export const demoSandboxRateLimited = (seconds: number) =>
  tooManyDemoKeys.after(
    seconds,
    `Use the key you already have, or try again in ` +
      `${seconds < 120 ? `${seconds} seconds` : `about ${Math.ceil(seconds / 60)} minutes`}.`
  )
export const demoSandboxDisabled = defineError(
  503,
  "demo_sandbox_disabled",
  "This server doesn't issue demo keys.",
  "Use a runtime key of your own app. GET /v1/llms.txt explains how to get one.",
  { retryable: false }
)
