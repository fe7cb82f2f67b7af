import type { FastifyRequest, FastifySchemaCompiler } from "fastify"
import * as z from "zod"
import { countJsonValues } from "#src/imports/countJsonValues.ts"
import type { ApiError } from "#src/http/server/ApiError.ts"
import { payloadTooLarge, unsupportedType, validationError } from "#src/http/server/errors.ts"
import { readJsonBody } from "./readJsonBody.ts"
import type { App } from "#src/http/server/Server.ts"
import { takeBody } from "#src/http/server/unitOfRequest.ts"
import { refusalOf } from "./refusal.ts"
import { findUnstorable } from "./unstorable.ts"
import type { Where } from "./validation.ts"

const WHERE: Record<string, Where> = { body: "body", querystring: "query", params: "params", headers: "headers" }

/** Parsed bodies before stripping, so that an answer can name the ignored fields. */
const raw = new WeakMap<object, unknown>()
export const rawBody = (parsed: unknown): unknown =>
  typeof parsed === "object" && parsed !== null ? (raw.get(parsed) ?? parsed) : parsed

export const compileValidator: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (input) => {
    const where = WHERE[httpPart ?? "body"] ?? "body"
    const unstorable = where === "query" ? findUnstorable(input) : null
    if (unstorable !== null)
      return { error: validationError(`query.${unstorable}: must not contain U+0000 or half a surrogate pair`) }
    const parsed = schema.safeParse(input ?? undefined)
    if (!parsed.success) return { error: refusalOf(parsed.error.issues, where, input) }
    if (where === "body" && typeof parsed.data === "object" && parsed.data !== null) raw.set(parsed.data, input)
    return { value: parsed.data }
  }

export type ParseBody = (
  request: FastifyRequest,
  bytes: Buffer,
  done: (error: Error | null, value?: unknown) => void
) => void

/**
 * Bodies from the first size on are parsed on another thread, and those from the second size on if they have many
 * values or escapes. A thread takes about 30 MB while it lives. The number of both determines the time; a single long
 * text without escapes is parsed in a few milliseconds.
 */
const LARGE_BYTES = 4 * 1024 * 1024
const FULL_BYTES = 64 * 1024
const MANY_VALUES = 2_000
const MANY_ESCAPES = 100_000

const BACKSLASH = 0x5c
// A loop over the bytes: a search from each escape to the next takes ten times as long.
const hasManyEscapes = (bytes: Buffer): boolean => {
  let count = 0
  for (let at = bytes.indexOf(BACKSLASH); at >= 0 && at < bytes.length && count < MANY_ESCAPES; at++)
    if (bytes[at] === BACKSLASH) count++
  return count === MANY_ESCAPES
}

const isLarge = (bytes: Buffer): boolean =>
  bytes.length >= LARGE_BYTES ||
  (bytes.length >= FULL_BYTES && (countJsonValues(bytes) > MANY_VALUES || hasManyEscapes(bytes)))

/** A large unparsed body, for a thread to parse. */
export class UnreadBody {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/** Parses a body as storable JSON synchronously. */
export const jsonBody: ParseBody = (_, bytes, done) => {
  const body = readJsonBody(bytes)
  if ("error" in body) done(body.error)
  else done(null, body.value)
}

/**
 * Every body that gets here is JSON: others were refused by their headers (requireReadable). Invalid JSON, text that
 * PostgreSQL cannot store, and numbers that would lose precision are ordinary validation errors. A large body, and any
 * body of a route that parses its own, stays an UnreadBody.
 */
export const parseBodies = (app: App) => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    "*",
    takeBody((request, bytes, done) => {
      const isUnread = request.routeOptions.config.readsBody === true || isLarge(bytes)
      return isUnread ? done(null, new UnreadBody(bytes)) : jsonBody(request, bytes, done)
    })
  )
}

/** Errors that Fastify raises itself, in the contract's form. */
export const fromFastify = (
  error: { readonly code?: string; readonly statusCode?: number; readonly message: string },
  limitBytes: number,
  tooLarge: ApiError = payloadTooLarge(limitBytes)
) => {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return unsupportedType
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return validationError("body: its length differs from content-length")
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
        ? validationError(`request: ${error.message}`)
        : null
  }
}
