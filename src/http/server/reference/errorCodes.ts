import type { FastifyContextConfig } from "fastify"
import { matchCredential } from "#src/http/server/Credential.ts"
import { type Answers, ERROR_CODES } from "#src/http/server/schemas/answers.ts"

/** What a route says of itself, for the document. */
export interface DescribedRoute {
  readonly method: string
  readonly config: FastifyContextConfig
  readonly schema: {
    readonly response?: Answers
    readonly querystring?: unknown
    readonly headers?: unknown
    readonly body?: unknown
    readonly "x-internal"?: boolean
  }
}

/** The errors that a route can answer. `plain`: the statuses whose error has the plain-string form. */
export interface RouteErrors {
  readonly codes: ReadonlySet<string>
  readonly plain: ReadonlySet<number>
}

const ofCredential = ({ method, config: { auth, demo, streamToken } }: DescribedRoute) =>
  matchCredential<{ readonly codes: ReadonlyArray<string>; readonly plain: ReadonlyArray<number> }>(auth, {
    none: () => ({ codes: [], plain: [] }),
    app: () => ({
      codes: [
        "account_token_used_as_runtime_key",
        "idp_account_api_key_not_service_key",
        "api_key_expired",
        "app_suspended",
        "key_of_another_cell",
        "stream_token_not_allowed",
        ...(streamToken === true ? ["stream_token_expired", "stream_token_invalid"] : []),
        ...(demo === true ? [] : ["demo_key_surface_disabled"])
      ],
      plain: [401, 403]
    }),
    account: (scope) => ({
      codes: [
        "idp_account_api_key_not_service_key",
        "api_key_expired",
        "demo_key_surface_disabled",
        "stream_token_not_allowed",
        ...(scope === null ? [] : ["scope_missing"])
      ],
      plain: [401, 403]
    }),
    operator: () => ({ codes: ["operator_role_too_low", ...(method === "GET" ? [] : ["csrf_failed"])], plain: [401] })
  })

/** The request has parts that are checked before the handler, or that may not arrive. */
const ofRequest = ({ method, schema: { querystring, headers } }: DescribedRoute): ReadonlyArray<string> => [
  ...(method === "GET" ? [] : ["request_timeout", "payload_too_large", "unsupported_media_type", "validation_error"]),
  ...(querystring === undefined && headers === undefined ? [] : ["validation_error"])
]

/**
 * The errors that a route declares, and those that follow from its credential, request and cost. Pages, and routes of
 * the supported API's edge that are not for clients, declare all of theirs.
 */
export const errorsOf = (route: DescribedRoute): RouteErrors => {
  const { config, schema } = route
  const { response = {} } = schema
  const declared = response[ERROR_CODES] ?? []
  const isPublic = config.auth === "none"
  if (schema["x-internal"] === true || "default" in response) return { codes: new Set(declared), plain: new Set() }
  if (isPublic && route.method === "GET")
    return {
      codes: new Set([...declared, ...(config.cost?.requests === 0 ? [] : ["rate_limited"])]),
      plain: new Set([503])
    }
  const { codes, plain } = ofCredential(route)
  return {
    codes: new Set([
      ...declared,
      ...codes,
      ...ofRequest(route),
      ...(config.cost?.pays === undefined ? [] : ["budget_exceeded"]),
      ...(isPublic ? [] : ["request_given_up"]),
      "rate_limited",
      "headers_too_large",
      "internal_error"
    ]),
    plain: new Set([...plain, 503])
  }
}
