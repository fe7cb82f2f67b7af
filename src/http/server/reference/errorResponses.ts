import { catalogue } from "#src/http/server/catalogue.ts"
import type { RouteErrors } from "./errorCodes.ts"

type Json = Readonly<Record<string, unknown>>

/** The name of a status in `components.responses`, and what it means. */
const STATUSES: Readonly<Record<number, readonly [name: string, meaning: string]>> = {
  400: ["BadRequest", "The device code is pending, expired or already used"],
  401: ["Unauthenticated", "The request has no valid credential"],
  402: ["BudgetExceeded", "The budget does not cover the cost. Nothing was charged"],
  403: ["Forbidden", "The key is invalid, revoked or not permitted to do this"],
  404: ["NotFound", "Not found in this app"],
  409: ["Conflict", "Conflict with the current state"],
  410: ["Gone", "No longer available"],
  413: ["PayloadTooLarge", "The body is too large"],
  422: ["Invalid", "The request is invalid"],
  429: ["TooManyRequests", "Too many requests, or too many pending operations"],
  502: ["UpstreamFailed", "An upstream service did not respond. Retry later"],
  503: ["Unavailable", "The database is unreachable, or the server is starting or stopping. Retry later"]
}

const object = (properties: Json, required: ReadonlyArray<string> = Object.keys(properties)) => ({
  type: "object",
  properties,
  required
})
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

/** An error whose detail has these fields, too. */
const errorWith = (more: Json) => ({ allOf: [ref("Error"), object({ detail: object(more, []) })] })

/** Headers of errors. */
export const errorHeaders: Json = { RetryAfter: { description: "Seconds to wait", schema: { type: "integer" } } }

/** The schemas of errors, in the contract's two forms (7.1), and those with more fields. */
export const errorSchemas = (): Json => ({
  ErrorCode: {
    description: "The codes that this version of the server knows. New ones may be added",
    type: "string",
    enum: catalogue.flatMap(({ code }) => code ?? []).toSorted()
  },
  Error: object({
    detail: object({
      code: { anyOf: [ref("ErrorCode"), { type: "string" }] },
      message: { type: "string" },
      fix: { type: "string", description: "What the caller can do about it" },
      request_id: { type: "string", description: "Also in the header x-request-id, and in the server's logs" }
    })
  }),
  PlainError: object({ detail: { type: "string" } }),
  AnyError: { anyOf: [ref("PlainError"), ref("Error")] },
  ExpiredError: errorWith({
    earliest_since: {
      anyOf: [{ type: "integer" }, { type: "string" }],
      description: "Cursor to continue from"
    }
  }),
  WaitError: errorWith({ interval_seconds: { type: "integer", description: "Seconds to wait" } })
})

/**
 * Errors of the server itself, before and around the handler. Routes with the same credential and kind of request have
 * the same ones. They are one response of an operation, for all statuses that are not listed.
 */
const GENERAL: ReadonlySet<string> = new Set([
  "account_token_used_as_runtime_key",
  "api_key_expired",
  "app_suspended",
  "csrf_failed",
  "demo_key_surface_disabled",
  "headers_too_large",
  "idp_account_api_key_not_service_key",
  "internal_error",
  "key_of_another_cell",
  "operator_role_too_low",
  "payload_too_large",
  "rate_limited",
  "request_given_up",
  "request_timeout",
  "scope_missing",
  "stream_token_not_allowed",
  "unsupported_media_type",
  "validation_error"
])

export interface NamedResponse {
  readonly status: number | "default"
  readonly name: string
  readonly response: Json
}

const RETRY_AFTER = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }

const SPECIAL: Readonly<Record<number, string>> = { 400: "WaitError", 410: "ExpiredError" }

const answerOf = (status: number, codes: ReadonlyArray<string>, isPlain: boolean): NamedResponse => {
  const [name, meaning] = STATUSES[status] ?? [`Status${status}`, ""]
  const forms = [...(isPlain ? ["PlainError"] : []), ...(codes.length === 0 ? [] : [SPECIAL[status] ?? "Error"])]
  const closed =
    status === 503 && codes.length > 0 ? ". With a code, the operator has disabled the route: do not retry" : ""
  return {
    status,
    name,
    response: {
      description: `${meaning}${closed}${codes.length === 0 ? "" : `. Codes: ${codes.join(", ")}`}`,
      ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
      content: { "application/json": { schema: ref(forms.length > 1 ? "AnyError" : (forms[0] ?? "")) } }
    }
  }
}

/** Which errors any request of a kind can get, by status. */
const generalOf = (byStatus: ReadonlyMap<number, ReadonlyArray<string>>): NamedResponse => {
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b)
  const lines = statuses.map(([status, codes]) =>
    codes.length === 0 ? `- ${status}` : `- ${status}. Codes: ${codes.toSorted().join(", ")}`
  )
  return {
    status: "default",
    name: "Other",
    response: {
      description: ["Any other error. Retry a 408, 429, 500 or 503 later", ...lines].join("\n"),
      "x-statuses": statuses.map(([status]) => status),
      headers: RETRY_AFTER,
      content: { "application/json": { schema: ref("AnyError") } }
    }
  }
}

const byStatus = (codes: Iterable<string>): Map<number, Array<string>> => {
  const found = new Map<number, Array<string>>()
  for (const code of codes) {
    const entry = catalogue.find((one) => one.code === code)
    if (entry === undefined) throw new Error(`a route declares the error ${code}, which is not defined`)
    found.set(entry.status, [...(found.get(entry.status) ?? []), code])
  }
  return found
}

/** The error responses of a route, by status. Fails if a code is not in the catalogue. */
export const errorResponses = ({ codes, plain }: RouteErrors): ReadonlyArray<NamedResponse> => {
  const own = [...byStatus(codes)]
    .filter(([, found]) => found.some((code) => !GENERAL.has(code)))
    .toSorted(([a], [b]) => a - b)
    .map(([status, found]) => answerOf(status, found.toSorted(), plain.has(status)))
  const general = byStatus([...codes].filter((code) => GENERAL.has(code)))
  for (const status of plain) general.set(status, general.get(status) ?? [])
  return general.size === 0 ? own : [...own, generalOf(general)]
}
