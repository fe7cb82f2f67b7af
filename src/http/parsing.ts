import type { FastifyRequest, FastifySchemaCompiler } from "fastify"
import { isUtf8 } from "node:buffer"
import * as z from "zod"
import { countJsonValues } from "#src/imports/countJsonValues.ts"
import { MOST_VALUES } from "#src/imports/readJson.ts"
import { type ApiError, payloadTooLarge, tooManyValues, validationError } from "./errors.ts"
import type { App } from "./Server.ts"
import { deepestNesting, findTooDeep, findUnkeptNumber, findUnstorable, maybeUnkeptNumber, maybeUnstorable } from "./unstorable.ts"
import { quoteIssues } from "./validation.ts"

type Where = "body" | "query" | "params" | "headers"
const WHERE: Record<string, Where> = { body: "body", querystring: "query", params: "params", headers: "headers" }

/** What a parsed body was before parsing stripped it, so that an answer can name the fields that were ignored. */
const raw = new WeakMap<object, unknown>()
export const rawBody = (parsed: unknown): unknown => typeof parsed === "object" && parsed !== null ? raw.get(parsed) ?? parsed : parsed

export const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => (input) => {
  const where = WHERE[httpPart ?? "body"] ?? "body"
  const unstorable = where === "query" ? findUnstorable(input) : null
  if (unstorable !== null) return { error: validationError(`query.${unstorable}: must not contain U+0000 or half a surrogate pair`) }
  const parsed = schema.safeParse(input ?? undefined)
  if (!parsed.success) return { error: validationError(quoteIssues(parsed.error.issues, where)) }
  if (where === "body" && typeof parsed.data === "object" && parsed.data !== null) raw.set(parsed.data, input)
  return { value: parsed.data }
}

const asText = "Send such a number as a string, or as one that a double-precision number can hold."

const bodyAt = (path: string): string => path === "" || path.startsWith("[") ? `body${path}` : `body.${path}`

/** What is wrong with a body that is JSON, or null. */
const findWrong = (json: string, value: unknown) => {
  const tooDeep = findTooDeep(value)
  if (tooDeep !== null) return validationError(`${bodyAt(tooDeep)}: is nested more than ${deepestNesting} deep`)
  const unstorable = maybeUnstorable(json) ? findUnstorable(value) : null
  if (unstorable !== null) return validationError(`${bodyAt(unstorable)}: must not contain U+0000 or half a surrogate pair`)
  const unkept = maybeUnkeptNumber(json) ? findUnkeptNumber(json) : null
  if (unkept !== null) return validationError(`${bodyAt(unkept)}: is a number that would not be kept as it is`, asText)
  return null
}

type ParseBody = (request: FastifyRequest, bytes: Buffer, done: (error: Error | null, value?: unknown) => void) => void

const sizes = new WeakMap<FastifyRequest, number>()
/** Bytes of a request's body, however it says how long it is. */
export const bodyBytesOf = (request: FastifyRequest): number => sizes.get(request) ?? 0

/** Reads a body as JSON that can be stored. */
export const jsonBody = (app: App): ParseBody => {
  const parse = app.getDefaultJsonParser("remove", "remove")
  return (request, bytes, done) => {
    sizes.set(request, bytes.length)
    if (!isUtf8(bytes)) return done(validationError("body: is not valid UTF-8"))
    // No shorter body can have so many.
    if (bytes.length > 2 * MOST_VALUES && countJsonValues(bytes) > MOST_VALUES) return done(tooManyValues(MOST_VALUES))
    const json = bytes.toString()
    if (json.trim() === "") return done(null, undefined)
    parse(request, json, (error, value) => {
      if (error !== null) return done(validationError("body: is not valid JSON"))
      done(findWrong(json, value), value)
    })
  }
}

/**
 * Every body is JSON, whatever content type it names: `curl -d` says it is a form. What is not JSON, or holds text that PostgreSQL
 * cannot store or a number that would become another, is a validation error like any other.
 */
export const parseBodies = (app: App, limitBytes: number) => {
  const parse = jsonBody(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>("*", { parseAs: "buffer", bodyLimit: limitBytes }, parse)
}

/** Fastify's own refusals of a request, in the contract's form. */
export const fromFastify = (error: { readonly code?: string; readonly statusCode?: number; readonly message: string }, limitBytes: number, tooLarge: ApiError = payloadTooLarge(limitBytes)) => {
  switch (error.code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return tooLarge
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return validationError("body: its length is not what content-length says")
    default:
      return error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500 ? validationError(`request: ${error.message}`) : null
  }
}
