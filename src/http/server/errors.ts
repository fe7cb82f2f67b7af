import type { Standing } from "#src/db/tenancy/RateLimits.ts"
import { defineError, definePlainError } from "#src/http/server/catalogue.ts"

export const missingBearer = definePlainError(401, "Authentication required: send `Authorization: Bearer ck_...`.")
export const invalidKey = definePlainError(403, "This API key is invalid or has been revoked.")
export const accountTokenUsed = defineError(
  401,
  "account_token_used_as_runtime_key",
  "An account token (lat_...) is not a runtime key.",
  "Use the account token on /v1/account/* only, to create a runtime key (ck_...), and send that key here."
)
export const idpKeyUsed = defineError(
  401,
  "idp_account_api_key_not_service_key",
  "An identity provider's key (ak_...) is not a credential of this service.",
  "Send a runtime key of this service (ck_...)."
)
export const idpKeyUsedAsAccountToken = idpKeyUsed.saying(
  idpKeyUsed.message,
  "Send an account token of this service (lat_...): POST /v1/account/device/start."
)
export const apiKeyExpired = defineError(
  403,
  "api_key_expired",
  "This API key has expired.",
  "Use another key of the app, or create one. A demo key lasts for a day: POST /v1/demo/sandbox-key gives " +
    "another, with an app of its own."
)
const suspended = defineError(
  403,
  "app_suspended",
  "The operator of this server has suspended this app.",
  "Contact the operator of this server. Nothing is lost: conversations go on where they were as soon as the app " +
    "is resumed."
)
/** `reason`: the operator's words, where there are any. */
export const appSuspended = (reason: string | null) =>
  reason === null ? suspended : suspended.saying(`The operator of this server has suspended this app: ${reason}`)
export const ownAppFix = "Create an app and a runtime key of your own: GET /v1/llms.txt says how."
const demoQuota = defineError(
  403,
  "demo_quota_exceeded",
  "This demo key has used up what it may create or send.",
  ownAppFix
)
export const demoQuotaExceeded = (what: "characters" | "sessions" | "user messages") =>
  demoQuota.saying(`This demo key has used up its ${what}.`)
export const demoKeySurfaceDisabled = defineError(
  403,
  "demo_key_surface_disabled",
  "A demo key may not do this.",
  ownAppFix
)
export const missingAccountToken = definePlainError(
  401,
  "Authentication required: send `Authorization: Bearer lat_...`."
)
export const invalidAccountToken = definePlainError(
  403,
  "This account token is invalid, has expired or has been revoked."
)
export const runtimeKeyUsed = definePlainError(
  403,
  "A runtime key (ck_...) is not an account token: send one (lat_...) here."
)
const missingScope = defineError(
  403,
  "scope_missing",
  "The account token lacks a scope.",
  "Get a token with this scope by the device flow: POST /v1/account/device/start."
)
export const scopeMissing = (scope: string) => missingScope.saying(`The account token lacks the scope ${scope}.`)
export const databaseUnreachable = definePlainError(503, "The database cannot be reached right now. Try again shortly.")
export const draining = definePlainError(503, "This server is stopping. Try again shortly.")
export const internalError = defineError(
  500,
  "internal_error",
  "Something went wrong on our side.",
  "Try again with backoff. If it stays, report the request id."
)
const invalid = defineError(
  422,
  "validation_error",
  "Something in the request is not as it should be; the message quotes where and what.",
  "Correct the quoted field and send the request again."
)
export const validationError = (message: string, fix?: string) => invalid.saying(message, fix)
export const malformedRequest = defineError(
  400,
  "malformed_request",
  "This is not valid HTTP/1.1.",
  "Send the request with an HTTP client, and look at what stands between it and this server."
)
export const requestTimeout = defineError(
  408,
  "request_timeout",
  "The request did not arrive in time.",
  "Send it again, whole within 30 seconds."
)
export const headersTooLarge = defineError(
  431,
  "headers_too_large",
  "The request line and headers are larger than 16 KiB together.",
  "Shorten the URL or send fewer headers."
)
const unsupportedType = defineError(
  415,
  "unsupported_media_type",
  "The request body is not JSON.",
  "Send the body as application/json, uncompressed."
)
const tooLarge = defineError(413, "payload_too_large", "The request body is too large.", "Send less at once.")
export const demoBodyTooLarge = (limitBytes: number) =>
  tooLarge.saying(
    `A request under a demo key has a body of at most ${limitBytes} bytes.`,
    "Send less at once, or use a runtime key of an app of your own."
  )
export const payloadTooLarge = (limitBytes: number) =>
  tooLarge.saying(`The request body is larger than ${limitBytes} bytes.`)
export const tooManyValues = (most: number) => tooLarge.saying(`The request body has more than ${most} values.`)
export const encodingUnsupported = (encoding: string) =>
  unsupportedType.saying(
    `The request body has Content-Encoding: ${encoding}. Compressed bodies are not read.`,
    "Send the body uncompressed, without a Content-Encoding header."
  )
export const charsetUnsupported = (charset: string) =>
  unsupportedType.saying(`The request body has the charset ${charset}.`, "Send the body in UTF-8.")
export const mediaTypeUnsupported = (type: string, accepted: string) =>
  unsupportedType.saying(`The request body has Content-Type: ${type}.`, `Send the body as ${accepted}.`)
const wrongMethod = defineError(
  405,
  "method_not_allowed",
  "This path does not answer to this method.",
  "Use a method that the Allow header names. See /docs or /openapi.json."
)
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>) =>
  wrongMethod.saying(`This path does not answer to ${method}, but to ${allowed.join(", ")}.`)
export const routeNotFound = defineError(
  404,
  "route_not_found",
  "There is no such route.",
  "See /docs or /openapi.json for the routes of this server."
)
const otherVersion = defineError(
  409,
  "version_conflict",
  "The resource is not at expected_version.",
  "Read it again and repeat the change on that version."
)
export const versionConflict = (kind: "app" | "character" | "proactive policy" | "suite", current: number) =>
  otherVersion.saying(`The ${kind} is at version ${current}.`)
export const idempotencyKeyReused = defineError(
  422,
  "idempotency_key_reused",
  "This Idempotency-Key was used with another body.",
  "Use a new key for a new request; repeat the first body to get its answer again."
)
export const upstreamFailed = defineError(
  502,
  "upstream_failed",
  "A service that this one asks gave no answer.",
  "Try again in a while."
)
export const requestGivenUp = defineError(
  422,
  "request_given_up",
  "Processing this request has stopped the server five times, so it is not tried again.",
  "Change what you send. If you cannot tell what is wrong with it, give the request_id to the operator.",
  { retryable: false }
)
const tooMany = defineError(429, "rate_limited", "Too many at once.", "Try again after the time in Retry-After.")
export const rateLimited = (message: string) => tooMany.saying(message)
export const largeBodyBusy = tooMany
  .saying(
    "Other large bodies of this app are being read: a body of more than 1 MiB waits for the one before.",
    "Send large bodies one after another. Try again after the time in Retry-After."
  )
  .after(1)
export const tooManyReads = (most: number) =>
  tooMany
    .saying(
      `This app holds ${most} streams and waiting polls open, as many as it may in one process.`,
      "Close some, poll without wait, or have events of all sessions pushed to one webhook: POST " +
        "/v1/apps/{app_id}/channels."
    )
    .after(5)
export const addressLimited = (seconds: number) =>
  tooMany.saying("Too many requests without a key from this address within a minute.").after(seconds)
export const quotaTaken = ({ policy, quota, seconds }: Standing) =>
  rateLimited(`More ${policy} than ${quota} in a minute.`).after(seconds)
