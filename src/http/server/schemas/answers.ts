import * as z from "zod"
import { codesOf } from "#src/http/server/errorTexts.ts"

/** Schemas of answers, for the OpenAPI document and the contract tests. Answers are not validated at runtime. */

const NextAction = z.object({ command: z.string(), description: z.string() })

const StructuredError = z.object({
  detail: z.object({ code: z.string(), message: z.string(), fix: z.string(), request_id: z.string() })
})
const Expired = z.object({
  detail: StructuredError.shape.detail.extend({ earliest_since: z.int().describe("Cursor to continue from") })
})
const PlainError = z.object({ detail: z.string() })

const Waiting = z.object({
  detail: StructuredError.shape.detail.extend({ interval_seconds: z.int().optional().describe("Seconds to wait") })
})

const ERRORS = {
  400: ["The device code is pending, expired or already used", Waiting],
  401: ["No bearer token, or a credential of the wrong kind", z.union([PlainError, StructuredError])],
  402: ["The budget does not cover the cost. Nothing was charged", StructuredError],
  403: ["The key is invalid, revoked or not permitted to do this", z.union([PlainError, StructuredError])],
  404: ["Not found in this app", StructuredError],
  408: ["The request did not arrive in time", StructuredError],
  410: ["No longer available", Expired],
  409: ["Conflict with the current state", StructuredError],
  413: ["The body is too large", StructuredError],
  415: ["The body is compressed, or its content type is not supported", StructuredError],
  422: ["The request is invalid", StructuredError],
  429: ["Too many requests, or too many pending operations", StructuredError],
  431: ["The request line and headers are too large", StructuredError],
  500: ["Internal error. Retry later", StructuredError],
  502: ["An upstream service did not respond. Retry later", StructuredError],
  503: ["The database is unreachable, or the server is starting or stopping. Retry later", PlainError]
} as const

/**
 * The description of a status with its codes from the catalogue. Errors with a code and status 503 are declared by
 * their routes.
 */
const withCodes = (status: keyof typeof ERRORS): string => {
  const codes = status === 503 ? "" : codesOf(status)
  return ERRORS[status][0] + (codes === "" ? "" : `. Codes include: ${codes}`)
}

/** The envelope of a success. */
export const withData = (data: z.ZodType) =>
  z.object({ schema_version: z.string(), data, next_actions: z.array(NextAction) })

export type Answers = Record<
  number,
  | z.ZodType<unknown>
  | { readonly description: string; readonly content: Record<string, { readonly schema: z.ZodType<unknown> }> }
>

/** The answers with these errors. */
export const errorAnswers = (...errors: ReadonlyArray<keyof typeof ERRORS>): Answers =>
  Object.fromEntries(errors.map((status) => [status, ERRORS[status][1].describe(withCodes(status))]))

/** The answers of a route: its data in the envelope, and its errors in addition to the common ones. */
export const answers = (data: z.ZodType, ...errors: ReadonlyArray<keyof typeof ERRORS>): Answers =>
  answersAs("application/json", withData(data), ...errors)

/** The answers of a route without an envelope. */
export const answersAs = (
  mediaType: string,
  success: z.ZodType,
  ...errors: ReadonlyArray<keyof typeof ERRORS>
): Answers =>
  publicAnswers(
    mediaType,
    success,
    ...new Set([
      ...errors,
      ...(errors.includes(413) ? [415 as const] : []),
      401,
      403,
      408,
      422,
      429,
      431,
      500,
      503
    ] as const)
  )

/** The same for a route without authentication, with only these errors, that the operator may disable. */
export const envelopeAnswers = (data: z.ZodType, ...errors: ReadonlyArray<keyof typeof ERRORS>): Answers => ({
  ...publicAnswers("application/json", withData(data), ...errors),
  503: z
    .union([PlainError, StructuredError])
    .describe(
      `${ERRORS[503][0]}. With a code, the operator has disabled the route: do not retry. Codes: ${codesOf(503)}`
    )
})

/** The answers of a route without authentication: its success and only these errors. */
export const publicAnswers = (
  mediaType: string,
  success: z.ZodType,
  ...errors: ReadonlyArray<keyof typeof ERRORS>
): Answers => ({
  200: { description: "Success", content: { [mediaType]: { schema: success } } },
  ...errorAnswers(...errors)
})

/** What the answer to any request with a body may contain besides the resource. */
export const written = {
  ignored_fields: z.array(z.string()).optional().describe("Fields of the body that were ignored, such as typos")
}
/** The same for a create, which accepts an Idempotency-Key. */
export const created = {
  ...written,
  idempotent_replay: z
    .literal(true)
    .optional()
    .describe("true: the repeated response to an earlier request with the same Idempotency-Key")
}
