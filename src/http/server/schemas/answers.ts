import * as z from "zod"
import { codesOf } from "#src/http/server/errorTexts.ts"

/** Schemas of answers, for the OpenAPI document and the contract tests. Answers are not validated at runtime. */

const NextAction = z.object({ command: z.string(), description: z.string() })

const StructuredError = z.object({
  detail: z.object({ code: z.string(), message: z.string(), fix: z.string(), request_id: z.string() })
})
const Expired = z.object({
  detail: StructuredError.shape.detail.extend({ earliest_since: z.int().describe("Where to read on from") })
})
const PlainError = z.object({ detail: z.string() })

const Waiting = z.object({
  detail: StructuredError.shape.detail.extend({ interval_seconds: z.int().optional().describe("How long to wait") })
})

const ERRORS = {
  400: ["Not yet, or not any more", Waiting],
  401: ["No bearer, or a credential of another kind", z.union([PlainError, StructuredError])],
  402: ["The budget does not cover it; nothing was charged", StructuredError],
  403: ["The key is invalid or revoked, or may not do this", z.union([PlainError, StructuredError])],
  404: ["Not there, or not this app's", StructuredError],
  408: ["The request did not arrive in time", StructuredError],
  410: ["No longer kept", Expired],
  409: ["In conflict with the present state", StructuredError],
  413: ["The body is too large", StructuredError],
  415: ["The body is compressed, or of a content type that is not read", StructuredError],
  422: ["The request is not valid", StructuredError],
  429: ["Too many, or too much waiting", StructuredError],
  431: ["The request line and headers are too large", StructuredError],
  500: ["A failure of ours; passing", StructuredError],
  502: ["A service that this one asks gave no answer; passing", StructuredError],
  503: ["Database unreachable, or starting or stopping; passing", PlainError]
} as const

/**
 * The description of a status with its codes from the catalogue. Errors with a code and status 503 are declared by
 * their routes.
 */
const withCodes = (status: keyof typeof ERRORS): string => {
  const codes = status === 503 ? "" : codesOf(status)
  return ERRORS[status][0] + (codes === "" ? "" : `. Among: ${codes}`)
}

/** The envelope of a success. */
export const withData = (data: z.ZodType) =>
  z.object({ schema_version: z.string(), data, next_actions: z.array(NextAction) })

type Answers = Record<
  number,
  | z.ZodType<unknown>
  | { readonly description: string; readonly content: Record<string, { readonly schema: z.ZodType<unknown> }> }
>

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
      `${ERRORS[503][0]}. Or closed by the operator, which is not passing and has a code, among: ${codesOf(503)}`
    )
})

/** The answers of a route without authentication: its success and only these errors. */
export const publicAnswers = (
  mediaType: string,
  success: z.ZodType,
  ...errors: ReadonlyArray<keyof typeof ERRORS>
): Answers => ({
  200: { description: "Success", content: { [mediaType]: { schema: success } } },
  ...Object.fromEntries(errors.map((status) => [status, ERRORS[status][1].describe(withCodes(status))]))
})

/** What the answer to any request with a body may contain besides the resource. */
export const written = {
  ignored_fields: z.array(z.string()).optional().describe("Fields of the body that had no effect, for instance a typo")
}
/** The same for a create, which accepts an Idempotency-Key. */
export const created = {
  ...written,
  idempotent_replay: z.literal(true).optional().describe("This is the answer that the same Idempotency-Key got before")
}
