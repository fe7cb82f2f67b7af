import type { OperatorRole } from "#src/accounts/Operator.ts"
import type { RateLimitState } from "#src/db/tenancy/RateLimits.ts"
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
  "Use another key of the app, or create one. Demo keys last one day: POST /v1/demo/sandbox-key returns " +
    "a new one, with its own app."
)
const suspended = defineError(
  403,
  "app_suspended",
  "The operator of this server has suspended this app.",
  "Contact the operator of this server. Nothing is lost: conversations continue when the app is resumed."
)
/** `reason`: the operator's words, if any. */
export const appSuspended = (reason: string | null) =>
  reason === null ? suspended : suspended.saying(`The operator of this server has suspended this app: ${reason}`)
/** Plain, because the request succeeds later: when the app has moved, and its keys lead to the new cell. */
export const appMoves = definePlainError(
  503,
  "This app is moving to another cell, or has just moved there. Nothing is lost. Try again shortly."
).after(1)
const keyOfAnotherCell = defineError(
  403,
  "key_of_another_cell",
  "This key belongs to another cell of this service.",
  "Use the address that you were given with this key. If you do, tell the operator that it leads to the wrong cell."
)
export const otherCell = (cell: string) =>
  keyOfAnotherCell.saying(`This key belongs to another cell of this service, ${cell}.`)
export const ownAppFix = "Create your own app and runtime key. GET /v1/llms.txt explains how."
const demoQuota = defineError(403, "demo_quota_exceeded", "This demo key has reached its quota.", ownAppFix)
export const demoQuotaExceeded = (what: "characters" | "sessions" | "user messages") =>
  demoQuota.saying(`This demo key has reached its quota of ${what}.`)
export const demoKeySurfaceDisabled = defineError(
  403,
  "demo_key_surface_disabled",
  "Demo keys can't do this.",
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
export const missingOperatorToken = definePlainError(
  401,
  "Authentication required: send `Authorization: Bearer` with ADMIN_TOKEN or an operator token (op_...), or sign " +
    "in at " +
    "/console."
)
const roleTooLow = defineError(
  403,
  "operator_role_too_low",
  "Your role doesn't allow this.",
  "Ask an owner of this server to do it, or to give you a token or an entry in OPERATORS with a higher role."
)
export const operatorRoleTooLow = (has: OperatorRole, least: OperatorRole) =>
  roleTooLow.saying(`This requires the role ${least}. Your role is ${has}.`)
export const csrfFailed = defineError(
  403,
  "csrf_failed",
  "The request doesn't prove that it comes from a page of the console.",
  "Reload the page and try again. A program sends the session's token in the header X-CSRF-Token, or uses an " +
    "operator " +
    "token (op_...) instead of a session."
)
const missingScope = defineError(
  403,
  "scope_missing",
  "The account token lacks a scope.",
  "Get a token with this scope through the device flow: POST /v1/account/device/start."
)
export const scopeMissing = (scope: string) => missingScope.saying(`The account token lacks the scope ${scope}.`)
export const databaseUnreachable = definePlainError(503, "The database cannot be reached right now. Try again shortly.")
export const draining = definePlainError(503, "This server is stopping. Try again shortly.")
export const internalError = defineError(
  500,
  "internal_error",
  "Something went wrong on our side.",
  "Try again with backoff. If the problem persists, report the request_id to the operator."
)
export const invalidRequest = defineError(
  422,
  "validation_error",
  "The request is invalid. The message says which field and why.",
  "Correct the field and send the request again."
)
/** `body.at: must not be in the past` is about `body.at`. */
const FIELD = /^(?:body|query|params|headers|bundle)[^\s:]{0,200}(?=:)/
/** `fix`: what to do. Without it, to correct the field that the message begins with. */
export const validationError = (message: string, fix?: string) => {
  const field = FIELD.exec(message)?.[0]
  if (field === undefined) return invalidRequest.saying(message, fix)
  return invalidRequest.saying(message, fix ?? `Correct ${field} and send it again.`).about(field)
}
export const malformedRequest = defineError(
  400,
  "malformed_request",
  "The request is not valid HTTP/1.1.",
  "Send the request with an HTTP client, and check any proxy between it and this server."
)
export const hostNotAllowed = defineError(
  421,
  "host_not_allowed",
  "This server is open to its own machine only, and the request is for another host.",
  "Use localhost or 127.0.0.1. If a proxy or a tunnel leads here, set PUBLIC_URL or TRUST_PROXY on the server."
)
export const requestTimeout = defineError(
  408,
  "request_timeout",
  "The request did not arrive in time.",
  "Send it again. The whole request must arrive within 30 seconds."
)
export const headersTooLarge = defineError(
  431,
  "headers_too_large",
  "The request line and headers are larger than 16 KiB together.",
  "Shorten the URL or send fewer headers."
)
export const unsupportedType = defineError(
  415,
  "unsupported_media_type",
  "The request body is not JSON.",
  "Send the body as application/json, uncompressed."
)
const tooLarge = defineError(413, "payload_too_large", "The request body is too large.", "Send a smaller body.")
export const demoBodyTooLarge = (limitBytes: number) =>
  tooLarge.saying(
    `With a demo key, a request body can have at most ${limitBytes} bytes.`,
    "Send a smaller body, or use a runtime key of your own app."
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
  unsupportedType.saying(
    type === "" ? "The request body has an empty Content-Type." : `The request body has Content-Type: ${type}.`,
    `Send the body as ${accepted}.`
  )
const wrongMethod = defineError(
  405,
  "method_not_allowed",
  "This path doesn't support this method.",
  "Use a method listed in the Allow header. See /docs or /openapi.json."
)
export const methodNotAllowed = (method: string, allowed: ReadonlyArray<string>) =>
  wrongMethod.saying(`This path doesn't support ${method}. Supported: ${allowed.join(", ")}.`)
export const routeNotFound = defineError(
  404,
  "route_not_found",
  "This route doesn't exist.",
  "See /docs or /openapi.json for the routes of this server."
)
const MAX_SHOWN_PATH = 100
/** The path of a URL, in characters that may stand in one. What it asks for may be secret. */
const shownPath = (url: string): string => {
  const path = (url.split("?", 1)[0] ?? "").replaceAll(/[^!-~]/g, "")
  return path.length > MAX_SHOWN_PATH ? `${path.slice(0, MAX_SHOWN_PATH)}...` : path
}
/** `meant`: the route that was probably meant. */
export const noRoute = (method: string, url: string, meant: string | undefined) =>
  routeNotFound.saying(
    `This route doesn't exist: ${method} ${shownPath(url)}.`,
    meant === undefined ? routeNotFound.fix : `Did you mean ${meant}? See /docs or /openapi.json for all routes.`
  )
const otherVersion = defineError(
  409,
  "version_conflict",
  "The resource is not at expected_version.",
  "Read it again and repeat the change on the current version."
)
export const versionConflict = (kind: "app" | "character" | "proactive policy" | "suite", current: number) =>
  otherVersion.saying(`The ${kind} is at version ${current}.`).about("body.expected_version")
export const idempotencyKeyReused = defineError(
  422,
  "idempotency_key_reused",
  "This Idempotency-Key was already used with a different body.",
  "Use a new key for a new request, or repeat the first body to get its response again."
).about("headers.idempotency-key")
export const upstreamFailed = defineError(
  502,
  "upstream_failed",
  "A service that this server depends on did not answer.",
  "Try again later."
)
export const storageUnavailable = upstreamFailed.saying("The picture storage did not answer.")
export const requestGivenUp = defineError(
  422,
  "request_given_up",
  "Processing this request crashed the server five times, so it is now refused.",
  "Change the request. If you can't tell what is wrong, give the request_id to the operator.",
  { retryable: false }
)
const tooMany = defineError(429, "rate_limited", "Too many requests.", "Try again after the time in Retry-After.")
export const rateLimited = (message: string) => tooMany.saying(message)
export const largeBodyBusy = tooMany
  .saying(
    "Another large body of this app is being read. Bodies over 1 MiB are read one at a time.",
    "Send large bodies one at a time. Try again after the time in Retry-After."
  )
  .after(1)
export const tooManyReads = (most: number) =>
  tooMany
    .saying(
      `This app has ${most} open streams and waiting polls, or other reads at once, which is the limit per process.`,
      "Close some, poll without wait, or push events of all sessions to one webhook: POST " +
        "/v1/apps/{app_id}/channels."
    )
    .after(5)
export const tooManyScreens = tooMany
  .saying("Too many screens of the console are open.", "Close some of them, and load this one again.")
  .after(5)
export const addressLimited = (seconds: number) =>
  tooMany.saying("Too many requests without a key from this address in the last minute.").after(seconds)
export const bearersLimited = (seconds: number) =>
  tooMany
    .saying(
      "Too many wrong credentials of operators came from this address.",
      "Check the token, and wait for as many seconds as Retry-After says."
    )
    .after(seconds)
export const quotaTaken = ({ policy, quota, seconds }: RateLimitState) =>
  rateLimited(`The limit of ${quota} ${policy} per minute has been reached.`).after(seconds)
